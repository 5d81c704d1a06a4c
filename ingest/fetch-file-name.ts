// What a fetched document is called: the type of a file is told from its name where the server does not tell it.

// File systems allow 255 bytes; a name in UTF-8 has at most 3 bytes for each of these units.
const MAX_LENGTH = 80;

/**
 * The name that `Content-Disposition` gives (`filename*` of RFC 6266 before `filename`), else the last part of the URL's
 * path, else `index.html` or the host. Without directories, control characters and leading dots.
 */
export function fileNameOf(url: URL, contentDisposition: string | null, mediaType: string): string {
  const fallback = mediaType === 'text/html' ? 'index.html' : url.hostname.replace(/[^\w.-]/g, '_');
  const candidates = [...dispositionNames(contentDisposition ?? ''), decode(url.pathname.split('/').at(-1) ?? '')];
  return candidates.map(clean).find((name) => name !== '') ?? fallback;
}

function* dispositionNames(header: string): Generator<string> {
  const extended = /(?:^|;)\s*filename\*\s*=\s*(?:utf-8|iso-8859-1)'[^']*'([^;\s]+)/i.exec(header)?.[1];
  if (extended !== undefined) yield decode(extended);
  const quoted = /(?:^|;)\s*filename\s*=\s*"((?:[^"\\]|\\.)*)"/i.exec(header)?.[1];
  if (quoted !== undefined) yield quoted.replace(/\\(.)/g, '$1');
  const token = /(?:^|;)\s*filename\s*=\s*([^";\s]+)/i.exec(header)?.[1];
  if (token !== undefined) yield token;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function clean(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  const printable = last.replace(/\p{C}/gu, '').trim().replace(/^\.+/, '');
  if (printable.length <= MAX_LENGTH) return printable;
  const extension = /\.\w{1,10}$/.exec(printable)?.[0] ?? '';
  return printable.slice(0, MAX_LENGTH - extension.length) + extension;
}
