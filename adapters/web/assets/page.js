// What makes the pages quicker; each works without it. Markup comes from our own server, which has escaped it.
const policy = window.trustedTypes?.createPolicy('verbatim', { createHTML: (markup) => markup });
const FAILURE = 'The answer did not arrive. Check your connection and ask again.';
const REFRESH_MS = 30_000;
const PULSE_MS = 3_000;

const parse = (markup) => new DOMParser().parseFromString(policy ? policy.createHTML(markup) : markup, 'text/html');
const byId = (id) => document.getElementById(id);

// Times in the reader's own zone.
function localiseTimes(root) {
  for (const time of root.querySelectorAll('time[datetime]')) {
    const date = new Date(time.dateTime);
    const today = date.toDateString() === new Date().toDateString();
    const options = today ? { timeStyle: 'short' } : { dateStyle: 'medium', timeStyle: 'short' };
    time.title = date.toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'long' });
    time.textContent = date.toLocaleString(undefined, options);
  }
}

function putThread(section) {
  const thread = document.importNode(section, true);
  const known = byId(thread.id);
  localiseTimes(thread);
  if (known) known.replaceWith(thread);
  else byId('threads').prepend(thread);
  document.querySelector('[data-empty]')?.remove();
  return thread;
}

// Asking ----------------------------------------------------------------------------------------------------------

async function ask(form) {
  const box = form.querySelector('textarea');
  const question = form.elements.question.value.trim();
  if (!question || document.body.dataset.asking) return;
  document.body.dataset.asking = 'yes';
  const progress = showProgress(form, question);
  try {
    const answer = await readAnswer(form, progress);
    const thread = putThread(parse(answer.html).querySelector('.thread'));
    if (box) {
      box.value = '';
      grow(box);
    }
    const card = thread.querySelector(`#answer-${CSS.escape(answer.answerId)}`);
    card.tabIndex = -1;
    card.focus({ preventScroll: true });
    thread.scrollIntoView({ block: 'nearest' });
    progress.clear();
  } catch (error) {
    progress.fail(error.shown ?? FAILURE);
    box?.focus();
  } finally {
    delete document.body.dataset.asking;
  }
}

function showProgress(form, question) {
  const status = byId('progress');
  // A follow-up's progress is shown where it was asked.
  const thread = form.closest('.thread');
  if (thread) thread.append(status);
  else form.after(status);
  const asked = document.createElement('p');
  asked.className = 'progress-question';
  asked.dir = 'auto';
  asked.textContent = question;
  const stage = document.createElement('p');
  stage.className = 'progress-stage';
  stage.textContent = 'Asking';
  status.replaceChildren(asked, stage);
  status.dataset.state = 'busy';
  const end = () => {
    document.querySelector('form.ask')?.after(status);
    delete status.dataset.state;
  };
  return {
    stage: (text) => {
      stage.textContent = text;
    },
    clear() {
      end();
      status.replaceChildren();
    },
    fail(text) {
      status.dataset.state = 'failed';
      stage.textContent = text;
    },
  };
}

async function readAnswer(form, progress) {
  const response = await fetch(form.action, {
    method: 'POST',
    headers: { accept: 'text/event-stream' },
    body: new URLSearchParams(new FormData(form)),
  });
  if (response.status === 401) location.assign(`/sign-in?next=${encodeURIComponent(location.pathname)}`);
  if (!response.ok) throw await failureOf(response);
  for await (const { event, data } of readEvents(response.body)) {
    if (event === 'stage') progress.stage(data.text);
    if (event === 'answer') return data;
    if (event === 'failure') throw shown(data.text);
  }
  throw new Error('the stream ended without an answer');
}

async function failureOf(response) {
  const problem = await response.json().catch(() => ({}));
  return shown(problem.detail ?? FAILURE);
}

function shown(text) {
  return Object.assign(new Error(text), { shown: text });
}

async function* readEvents(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (rest + value).split('\n\n');
    rest = parts.pop();
    for (const part of parts) {
      const event = /^event: (.*)$/m.exec(part)?.[1];
      const data = /^data: (.*)$/m.exec(part)?.[1];
      if (event && data) yield { event, data: JSON.parse(data) };
    }
  }
}

function grow(box) {
  box.style.height = 'auto';
  box.style.height = `${box.scrollHeight + 2}px`;
}

// What changed while the page was open: new replies, answers taken back ----------------------------------------------

async function loadPage() {
  const response = await fetch(location.href, { headers: { accept: 'text/html' } });
  if (response.redirected || !response.ok) location.reload();
  return parse(await response.text());
}

function signature(thread) {
  const cards = [...thread.querySelectorAll('.answer')];
  return cards.map((card) => `${card.id} ${card.dataset.state}`).join(' ');
}

function isBusy(thread) {
  const typed = [...thread.querySelectorAll('textarea')].some((box) => box.value !== '');
  return typed || thread.contains(document.activeElement);
}

async function refresh({ force = null } = {}) {
  if (document.body.dataset.asking) return;
  const fresh = (await loadPage()).getElementById('threads');
  if (!fresh || document.body.dataset.asking) return;
  for (const thread of [...fresh.querySelectorAll('.thread')].reverse()) {
    const known = byId(thread.id);
    if (known && signature(known) === signature(thread)) continue;
    // An answer that was taken back goes at once; anything else waits for who is typing there.
    const gone = known && [...thread.querySelectorAll('.answer')].some((card) => isTakenBack(card, known));
    if (known && thread.id !== force && isBusy(known) && !gone) continue;
    putThread(thread);
  }
}

function isTakenBack(card, known) {
  const before = known.querySelector(`#${CSS.escape(card.id)}`);
  return before?.dataset.state.startsWith('shown') && !card.dataset.state.startsWith('shown');
}

// Feedback ----------------------------------------------------------------------------------------------------------

async function sendFeedback(form, button) {
  const fields = new URLSearchParams(new FormData(form, button));
  const card = form.closest('.answer');
  const response = await fetch(form.action, { method: 'POST', headers: { accept: 'text/html' }, body: fields });
  if (!response.ok) return form.submit();
  const fresh = parse(await response.text()).getElementById(card.id);
  if (!fresh) return location.reload();
  const next = document.importNode(fresh, true);
  localiseTimes(next);
  card.replaceWith(next);
  next.querySelector('.feedback button, .feedback summary')?.focus();
}

// Wiring ------------------------------------------------------------------------------------------------------------

document.addEventListener('submit', (event) => {
  const form = event.target;
  if (form.matches('[data-ask]')) {
    event.preventDefault();
    void ask(form);
  } else if (form.matches('[data-feedback]')) {
    event.preventDefault();
    void sendFeedback(form, event.submitter);
  }
});

document.addEventListener('keydown', (event) => {
  const asks = event.target.matches?.('[data-ask] textarea') && event.key === 'Enter' && !event.shiftKey;
  if (!asks || event.isComposing) return;
  event.preventDefault();
  event.target.form.requestSubmit();
});

document.addEventListener('input', (event) => {
  if (event.target.matches('[data-ask] textarea')) grow(event.target);
});

document.addEventListener(
  'toggle',
  (event) => {
    if (event.target.open && event.target.matches('.follow-up')) event.target.querySelector('textarea').focus();
  },
  true,
);

localiseTimes(document);
// `:target` does not follow a highlight that lies in a part which scrolls by itself.
if (location.hash === '#quote') byId('quote')?.scrollIntoView({ block: 'center' });

// What is gone or may no longer be read goes from open pages too: a small request tells whether anything has changed.
const openDocument = document.querySelector('article.document');
if (byId('threads') || openDocument) {
  let version = null;
  let looked = Date.now();
  const look = async ({ anew = false } = {}) => {
    if (document.visibilityState !== 'visible') return;
    const pulse = await fetch('/pulse', { headers: { accept: 'application/json' } });
    if (pulse.redirected) return location.reload();
    const now = (await pulse.json()).version;
    const changed = version !== null && now !== version;
    version = now;
    if (!changed && !anew && Date.now() - looked < REFRESH_MS) return;
    looked = Date.now();
    if (openDocument) await lookAtDocument();
    else await refresh();
  };
  const quietly = (options) => look(options).catch(() => {});
  document.addEventListener('visibilitychange', () => quietly({ anew: true }));
  window.addEventListener('pageshow', (event) => quietly({ anew: event.persisted }));
  setInterval(quietly, PULSE_MS);
}

async function lookAtDocument() {
  const response = await fetch(location.href, { method: 'HEAD' });
  if (response.redirected || !response.ok) location.reload();
}
