import { expect, test } from 'vitest';
import type { Person } from '../../../adapters/ports.ts';
import { privateConversation } from '../../../adapters/web/conversation.ts';
import { renderHtml } from '../../../adapters/web/html.ts';
import { replyCard } from '../../../adapters/web/reply-card.ts';
import type { Answer } from '../../../retrieval/model.ts';

const ANN: Person = {
  tenantId: 'acme',
  email: 'ann@acme.example',
  name: 'Ann',
  role: 'analyst',
  guest: false,
  active: true,
};

test('what a model and a document say cannot turn the numbers of the quotes around them', () => {
  const citation = {
    documentId: 'd1',
    documentVersion: 1,
    uri: 'file:leave.md',
    title: 'Leave\u202E',
    headingPath: [],
    chunkId: 'd1:1:0',
    quote: 'Leave is \u202Ethirty days.',
    start: 0,
    end: 22,
  };
  const answer: Answer = {
    answerId: 'a1',
    status: 'answered',
    refusal: null,
    text: 'You have \u202Ethirty [1] days.',
    citations: [citation],
    sources: [],
    confidence: null,
    degraded: [],
    timingsMs: {},
    costUsd: 0,
  };
  const conversation = privateConversation(ANN);
  const posted = {
    answer,
    tenantId: 'acme',
    question: 'How long is leave?',
    asker: ANN.email,
    audience: conversation.audience,
    threadId: 't1',
    askedAt: new Date(0),
    indexVersion: 1,
    retractedAt: null,
    place: { ...conversation.place, thread: 't1', message: 'm1' },
  };
  const quotes = [{ citation, state: 'current' as const }];
  const view = { posted, asker: ANN, shown: true, quotes, feedback: null, offerPrivate: false };
  const page = renderHtml(replyCard(view, conversation, 'token'));
  expect(page).toContain('dir="auto">\u2068You have \u202Ethirty \u2069<a class="quote-number"');
  expect(page).toContain('<p dir="auto">\u2068Leave is \u202Ethirty days.\u2069</p>');
  expect(page).toContain('<bdi>Leave[U+202E]</bdi>');
});
