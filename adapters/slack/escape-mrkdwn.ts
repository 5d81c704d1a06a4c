// Slack acts on three characters in `text` and mrkdwn; nothing is escaped by its SDK.

/** `text` so that Slack shows it as it is: no mention, no link, no entity comes to life. */
export function escapeMrkdwn(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' };

/** What a person typed, from the text of an event: mentions and links as words, entities decoded, the bot's mention gone. */
export function plainText(text: string, botUserId: string): string {
  return text
    .replaceAll(new RegExp(`<@${botUserId}(\\|[^>]*)?>`, 'g'), ' ')
    .replaceAll(/<([@#!]?)([^<>|]*)(?:\|([^<>]*))?>/g, (_all, sign: string, id: string, label: string | undefined) => {
      if (sign === '') return label ?? id;
      // Whom else a question calls is no part of what it asks.
      if (sign === '!' && /^(channel|here|everyone)$/.test(id)) return '';
      const name = label ?? id.replace(/^subteam\^/, '');
      return `${sign === '#' ? '#' : '@'}${name.replace(/^[@#]/, '')}`;
    })
    .replaceAll(/&(?:lt|gt|amp);/g, (entity) => ENTITIES[entity] ?? entity)
    .replaceAll(/[ \t]+/g, ' ')
    .trim();
}

// The shapes that docs.slack.dev gives for mentions, links and special commands; whatever else stands in angle brackets was
// typed so.
const ENCODED =
  /<(?:([@#])([A-Z][A-Z0-9]+)|(!)((?:channel|here|everyone|subteam\^[A-Z0-9]+))|((?:https?:\/\/|mailto:)[^\s<>|]+))(?:\|([^<>]*))?>/g;

/**
 * What a person typed after a command, character for character: only what Slack itself made of mentions, links and the three
 * characters is undone.
 */
export function typedText(text: string): string {
  return text
    .replaceAll(
      ENCODED,
      (_all, sign?: string, id?: string, _bang?: string, special?: string, url?: string, label?: string) => {
        // A link that Slack made of typed words has them as its label; another label is no address.
        if (url !== undefined) return label && url.endsWith(label) ? label : url;
        const name = label || (id ?? special?.replace(/^subteam\^/, '') ?? '');
        return `${sign ?? '@'}${name.replace(/^[@#]/, '')}`;
      },
    )
    .replaceAll(/&(?:lt|gt|amp);/g, (entity) => ENTITIES[entity] ?? entity);
}
