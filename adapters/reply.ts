// What is said to people in reply to a question, before any platform renders it.
import type { Answer, Citation } from '../retrieval/model.ts';
import { linkLabel, marked, namesAnotherHost } from './shown-text.ts';
import {
  AI_LABEL,
  ageText,
  degradedText,
  EXTRACTIVE_LABEL,
  FAILURE_TEXT,
  refusalText,
  sharedRefusalText,
} from './wording.ts';

/** A quote as it is shown: numbered as the answer's text refers to it. */
export interface ReplyQuote {
  /** 1-based. */
  readonly number: number;
  readonly quote: string;
  readonly title: string;
  /** Headings above the quote, outermost first, without the title. */
  readonly headingPath: readonly string[];
  /** 1-based; null for formats without pages. */
  readonly page: number | null;
  /** Where a person can open it: the document view, or the document's own http(s) address; null without either. */
  readonly url: string | null;
  /** What the link is called beside the title, where the title reads like the address of somewhere else; null: the title. */
  readonly linkLabel: string | null;
}

/** What every platform shows for a question. */
export interface Reply {
  /** `hint`: the message was no question that can be answered, and says how to ask. */
  readonly kind: 'answer' | 'refusal' | 'failure' | 'hint';
  readonly answerId: string | null;
  /** The short answer with marks such as [1], or the refusal, failure or hint in words. Plain text, nothing escaped. */
  readonly text: string;
  /** The text is nothing but the quotes: show either, not both. */
  readonly bareQuotes: boolean;
  readonly quotes: readonly ReplyQuote[];
  /** One line for each source: its name, "updated … ago, permissions checked … ago". */
  readonly sources: readonly string[];
  /** What the answer had to do without; null when nothing. */
  readonly note: string | null;
  /** Who wrote the text; null where there is none. */
  readonly label: string | null;
  /** The asker alone may read more than this place: offer, to the asker only, to answer privately. */
  readonly offerPrivate: boolean;
}

const EMPTY: Omit<Reply, 'kind' | 'text'> = {
  answerId: null,
  bareQuotes: false,
  quotes: [],
  sources: [],
  note: null,
  label: null,
  offerPrivate: false,
};

/** A reply that is one sentence and was no answer of the product. */
export function plainReply(kind: 'failure' | 'hint', text: string = FAILURE_TEXT): Reply {
  return { ...EMPTY, kind, text };
}

/** How an answer is shown in a place. */
export interface ReplyContext {
  /** Only the asker sees the place. */
  readonly private: boolean;
  readonly offerPrivate: boolean;
  /** Base address of the document view, such as `https://verbatim.example.com`; null = none. */
  readonly publicUrl: string | null;
}

/** Turns an answer or a refusal of the core into what is shown. */
export function toReply(answer: Answer, context: ReplyContext): Reply {
  const common = {
    ...EMPTY,
    answerId: answer.answerId,
    note: degradedText(answer.degraded, answer.refusal),
    offerPrivate: context.offerPrivate,
  };
  if (answer.refusal !== null) {
    const text = context.private ? refusalText(answer.refusal) : sharedRefusalText(answer.refusal);
    return { ...common, kind: 'refusal', text };
  }
  const bareQuotes = isBareQuotes(answer);
  return {
    ...common,
    kind: 'answer',
    text: answer.text,
    bareQuotes,
    quotes: answer.citations.map((citation, index) => toQuote(citation, index + 1, context.publicUrl)),
    sources: answer.sources.map(
      ({ source, contentAgeSeconds, permissionAgeSeconds }) =>
        `${marked(source)}: updated ${ageText(contentAgeSeconds)}, permissions checked ${ageText(permissionAgeSeconds)}`,
    ),
    label: bareQuotes ? EXTRACTIVE_LABEL : AI_LABEL,
  };
}

/** An extractive answer's text is its quotes with their numbers; showing both would say everything twice. */
export function isBareQuotes({ text, citations }: Pick<Answer, 'text' | 'citations'>): boolean {
  const bare = text.replaceAll(/\[\d+\]/g, '').replaceAll(/\s+/g, '');
  return citations.map((citation) => citation.quote.replaceAll(/\s+/g, '')).join('') === bare;
}

function toQuote(citation: Citation, number: number, publicUrl: string | null): ReplyQuote {
  const { quote, title, headingPath, page = null } = citation;
  const headings = headingPath.filter((heading) => heading !== title).map(marked);
  const url = quoteUrl(citation, publicUrl);
  const label = url !== null && namesAnotherHost(title, url) ? linkLabel(url) : null;
  return { number, quote, title: marked(title), headingPath: headings, page, url, linkLabel: label };
}

function quoteUrl({ documentId, documentVersion, start, end, uri }: Citation, publicUrl: string | null): string | null {
  if (publicUrl !== null) {
    const query = new URLSearchParams({ version: `${documentVersion}`, start: `${start}`, end: `${end}` });
    return `${publicUrl.replace(/\/+$/, '')}/documents/${encodeURIComponent(documentId)}?${query}`;
  }
  // Only addresses that a browser opens as a page: a document's `javascript:` address must never become a link.
  return URL.canParse(uri) && ['http:', 'https:'].includes(new URL(uri).protocol) ? new URL(uri).href : null;
}
