import { FEEDBACK_REASONS } from '../ports.ts';
import { FEEDBACK_REASON_TEXTS } from '../wording.ts';
import type { Conversation } from './conversation.ts';
import { type Html, html } from './html.ts';
import { icon } from './icons.ts';
import { formField } from './layout.ts';
import type { ReplyView } from './thread-view.ts';

/** Longest comment, in UTF-16 code units. */
export const MAX_COMMENT_CHARACTERS = 2_000;

/** Whether the reply helped, or what this person said of it before. */
export function feedbackBox({ posted, feedback }: ReplyView, conversation: Conversation, token: string): Html {
  const { answerId } = posted.answer;
  const hidden = html`${formField(token)}<input type="hidden" name="place" value="${conversation.key}">`;
  const action = `/answers/${encodeURIComponent(answerId)}/feedback`;
  if (feedback) {
    const said = feedback.verdict === 'up' ? 'You found this helpful.' : 'Thank you: you reported a problem.';
    return html`<form class="feedback given" method="post" action="${action}" data-feedback>${hidden}
<p>${icon('check')}<span>${said}</span></p><button class="quiet" name="verdict" value="withdraw">Withdraw</button></form>`;
  }
  return html`<div class="feedback">
<form method="post" action="${action}" data-feedback>${hidden}<button class="quiet" name="verdict" value="up">${icon('up')}<span>Helpful</span></button></form>
<details class="report"><summary class="quiet">${icon('down')}<span>Not helpful</span></summary>
<form method="post" action="${action}" data-feedback>${hidden}
<fieldset><legend>What is wrong with it?</legend>
${FEEDBACK_REASONS.map((reason) => html`<label class="choice"><input type="radio" name="reason" value="${reason}" required><span>${FEEDBACK_REASON_TEXTS[reason]}</span></label>`)}
</fieldset>
<label class="field">Comment (optional)<textarea name="comment" rows="2" maxlength="${MAX_COMMENT_CHARACTERS}"></textarea></label>
<button class="secondary" name="verdict" value="down">Send</button>
</form></details>
</div>`;
}
