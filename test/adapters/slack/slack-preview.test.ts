import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { plainReply } from '../../../adapters/reply.ts';
import { renderReply } from '../../../adapters/slack/render-reply.ts';
import { findChromium } from '../../helpers/chromium.ts';
import { previewPage, screenshotMessages } from '../../helpers/slack-preview.ts';

const quoted = () => {
  const [message] = renderReply(
    {
      ...plainReply('hint', 'Thirty days [1].'),
      kind: 'answer',
      answerId: 'a-1',
      quotes: [
        {
          number: 1,
          quote: '<!channel> thirty days',
          title: 'Leave',
          headingPath: ['Days'],
          page: null,
          url: 'https://v.example/1',
          linkLabel: null,
        },
      ],
    },
    { feedback: true, postable: false },
  );
  return { author: 'Verbatim', bot: true, text: message?.text ?? '', blocks: message?.blocks };
};

test('the preview shows all of a message, as text', () => {
  const page = previewPage([quoted()]);
  for (const words of ['Thirty days [1].', 'Leave', '› Days', '&lt;!channel&gt; thirty days', 'Not helpful'])
    expect(page).toContain(words);
});

test.skipIf(findChromium() === null)('the preview becomes a picture', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'verbatim-preview-'));
  const path = join(directory, 'thread.png');
  await screenshotMessages([quoted()], path, findChromium() ?? '');
  const bytes = await readFile(path);
  await rm(directory, { recursive: true });
  expect(bytes.subarray(1, 4).toString()).toBe('PNG');
});
