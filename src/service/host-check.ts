// Against DNS rebinding: a page of another name that has this machine's address would be a page of ours to a browser.
import { isLoopback } from './demo-mode.ts';

/**
 * Whether a `Host` header names this service. Who listens on loopback is reached by a loopback name, or through a proxy
 * under the name of `publicUrl`; elsewhere every name may be one. The port may be that of a tunnel.
 */
export function createHostCheck({
  host,
  publicUrl,
}: {
  readonly host: string;
  readonly publicUrl: string | null;
}): (header: string | undefined) => boolean {
  if (!isLoopback(host)) return () => true;
  const publicName = publicUrl === null ? null : new URL(publicUrl).hostname;
  return (header) => {
    // Browsers always send one.
    if (header === undefined) return true;
    const name = nameOf(header);
    return name !== null && (name === publicName || isLoopback(name.replace(/^\[|\]$/g, '')));
  };
}

function nameOf(header: string): string | null {
  // What is no name and port would be read as a path or a password.
  if (!/^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i.test(header)) return null;
  return URL.canParse(`http://${header}`) ? new URL(`http://${header}`).hostname : null;
}
