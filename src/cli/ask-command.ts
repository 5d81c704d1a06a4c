import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { refusalText } from '../../adapters/wording.ts';
import { validateQuestion } from '../../retrieval/answer-question.ts';
import type { Answer } from '../../retrieval/model.ts';
import { withRequestId } from '../logger.ts';
import { type AudienceOptions, addAudienceOptions, readAudience, warnOfStrangers } from './audience-options.ts';
import { renderAnswer } from './render-answer.ts';
import type { CliContext } from './run-cli.ts';
import { coloursFor, widthOf } from './terminal.ts';

interface AskOptions extends AudienceOptions {
  readonly thread?: string;
  readonly json?: boolean;
}

/** `verbatim ask` */
export function addAskCommand(program: Command, context: CliContext): void {
  addAudienceOptions(program.command('ask'))
    .description('answer a question with quotes from documents that everyone named may read')
    .argument('<question>')
    .option('--thread <id>', 'the conversation this belongs to: a follow-up may leave out what was said before')
    .option('--json', 'print the answer as JSON')
    .action((question: string, options: AskOptions) => ask(context, question, options));
}

async function ask(context: CliContext, text: string, options: AskOptions): Promise<void> {
  const { stdout } = context.streams;
  const people = readAudience(context, options);
  const { tenantId, asker, audience } = people;
  validateQuestion(text);
  await context.withProduct(
    async (product) => {
      await warnOfStrangers(context, product, people);
      const threadId = options.thread === undefined ? {} : { threadId: options.thread };
      const answer = await withRequestId(randomUUID(), () =>
        product.answerQuestion({ tenantId, asker, audience, text, ...threadId }),
      );
      if (options.json) stdout.write(`${JSON.stringify(withText(answer), null, 2)}\n`);
      else stdout.write(`${renderAnswer(answer, { colours: coloursFor(stdout), width: widthOf(stdout) })}\n`);
    },
    { asking: true },
  );
}

/** The answer as it is given out: a refusal with its sentence as text. */
export function withText(answer: Answer): Answer {
  return answer.refusal ? { ...answer, text: refusalText(answer.refusal) } : answer;
}
