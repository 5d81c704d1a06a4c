// The app's Home tab: what the bot is, what it reads, how fresh that is, and what one asked.
import type { types } from '@slack/bolt';
import type { AdminCommands, AdminTools } from '../admin-command.ts';
import type { Answers } from '../ports.ts';
import { ageText, pastOutcomeText } from '../wording.ts';
import { cutText, literal } from './markdown-to-rich-text.ts';
import type { Workspace } from './ports.ts';
import type { ClientFor } from './slack-client.ts';
import type { SlackPeople } from './slack-people.ts';

/** What the tab shows beside one's own questions. */
export interface HomeContent {
  readonly answers: Pick<Answers, 'ofAsker'>;
  readonly tools: Pick<AdminTools, 'status'>;
  /** Each source with its age; names of sources only, nothing of what they hold. */
  sources(tenantId: string): Promise<readonly { readonly name: string; readonly contentAgeSeconds: number | null }[]>;
}

interface HomeParts {
  readonly clientFor: ClientFor;
  readonly slackPeople: SlackPeople;
  readonly admin: Pick<AdminCommands, 'isAdmin'>;
  readonly home: HomeContent;
}

const QUESTIONS = 5;
const MAX_LINE = 200;

/** Publishes the tab of one user. */
export async function publishHome(parts: HomeParts, workspace: Workspace, user: string): Promise<void> {
  const { clientFor, slackPeople, admin, home } = parts;
  const asker = await slackPeople.asker(workspace, user);
  if (asker === null) return;
  const email = 'person' in asker.member ? asker.member.person : null;
  const blocks: types.KnownBlock[] = [heading('Verbatim'), paragraph(ABOUT_TEXT), heading('Sources')];
  const sources = email === null ? [] : await home.sources(workspace.tenantId);
  const lines = sources.map(
    ({ name, contentAgeSeconds: age }) => `${name}: ${age === null ? 'nothing read yet' : `updated ${ageText(age)}`}`,
  );
  blocks.push(list(lines.length > 0 ? lines : ['None that I may tell you about.']));
  blocks.push(heading('Your last questions'));
  const asked = await home.answers.ofAsker(workspace.tenantId, asker.id, QUESTIONS);
  blocks.push(
    list(
      asked.length === 0
        ? ['None yet. Mention me in a channel, or write to me here under Messages.']
        : asked.map(
            ({ question, answer: { refusal }, retractedAt }) =>
              `${short(question)}  →  ${pastOutcomeText({ refusal, retracted: retractedAt !== null })}`,
          ),
    ),
  );
  if (await admin.isAdmin(workspace.tenantId, email)) {
    const status = cutText(await home.tools.status(workspace.tenantId), 2_900)[0] ?? ' ';
    blocks.push(heading('Status'), {
      type: 'rich_text',
      elements: [{ type: 'rich_text_preformatted', elements: literal(status || ' ') }],
    });
  }
  await clientFor(workspace).views.publish({ user_id: user, view: { type: 'home', blocks } });
}

const ABOUT_TEXT =
  'I answer questions with word-for-word quotes from your company’s documents. In a direct message I use what you may read; in a channel only what everyone in it may read. When I find nothing, I say so. I never guess.';

function short(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length <= MAX_LINE ? line : `${cutText(line, MAX_LINE)[0]?.trimEnd()}…`;
}

function heading(text: string): types.KnownBlock {
  return { type: 'header', text: { type: 'plain_text', text, emoji: false } };
}

function paragraph(text: string): types.KnownBlock {
  return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: literal(text) }] };
}

function list(lines: readonly string[]): types.KnownBlock {
  const elements = lines.map((line): types.RichTextSection => ({ type: 'rich_text_section', elements: literal(line) }));
  return { type: 'rich_text', elements: [{ type: 'rich_text_list', style: 'bullet', elements }] };
}
