import { ageText, degradedText, pageText, refusalText } from '../../adapters/wording.ts';
import type { Answer, Citation } from '../../retrieval/model.ts';
import { type Colours, printable, printableLine, wrap } from './terminal.ts';

/** An answer for people: the quotes with their sources, or the refusal in words. */
export function renderAnswer(answer: Answer, { colours, width }: { colours: Colours; width: number }): string {
  const note = degradedText(answer.degraded, answer.refusal);
  const footer = note ? [colours.yellow(wrap(note, width, ''))] : [];
  if (answer.refusal) return [wrap(refusalText(answer.refusal), width, ''), ...footer].join('\n');
  const extractive = isBareQuotes(answer);
  const head = extractive ? colours.dim('From the documents, word for word:') : wrap(printable(answer.text), width, '');
  const quotes = answer.citations.map((citation, index) => renderCitation(citation, index + 1, { colours, width }));
  const sources = answer.sources.map(
    (source) =>
      `${source.source}: updated ${ageText(source.contentAgeSeconds)}, permissions checked ${ageText(source.permissionAgeSeconds)}`,
  );
  const confidence = answer.confidence ? `  ·  confidence ${Math.round(answer.confidence.overall * 100)} %` : '';
  return [head, ...quotes, colours.dim(`${sources.join('; ')}${confidence}`), ...footer].join('\n\n');
}

// An extractive answer's text is its quotes with their numbers; printing both would say everything twice.
function isBareQuotes({ text, citations }: Answer): boolean {
  const bare = text.replaceAll(/\[\d+\]/g, '').replaceAll(/\s+/g, '');
  return citations.map((citation) => citation.quote.replaceAll(/\s+/g, '')).join('') === bare;
}

function renderCitation(
  citation: Citation,
  number: number,
  { colours, width }: { colours: Colours; width: number },
): string {
  const place = [citation.title, ...citation.headingPath.filter((heading) => heading !== citation.title)];
  const quote = wrap(printable(citation.quote), width, '    │ ');
  return [
    `${colours.bold(`[${number}]`)} ${colours.cyan(printableLine(`${place.join(' › ')}${pageText(citation.page)}`))}`,
    quote,
    colours.dim(
      `    ${printableLine(citation.uri)}  (version ${citation.documentVersion}, characters ${citation.start}–${citation.end})`,
    ),
  ].join('\n');
}
