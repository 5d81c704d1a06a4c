// The addresses under which Slack reaches the service.

/** Events, commands and interactions. */
export const EVENTS_PATH = '/slack/events';
/** Where an installation begins. */
export const INSTALL_PATH = '/slack/install';
/** Where Slack sends the browser back to. */
export const OAUTH_REDIRECT_PATH = '/slack/oauth_redirect';
