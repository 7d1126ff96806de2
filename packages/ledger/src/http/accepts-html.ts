const PAGE = /\b(text\/html|application\/xhtml\+xml)(?![\w.+-])(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i;
const DATA = /\bapplication\/([\w.-]+\+)?json(?![\w.+-])/i;

/** Browsers name text/html before anything else; programs do not, and get JSON. */
export function acceptsHtml(accept = ''): boolean {
  const page = accept.search(PAGE);
  const data = accept.search(DATA);
  return page !== -1 && (data === -1 || page < data);
}

/**
 * Chats and mail programs that show a link as a card name no media type, though they read nothing but the page's
 * head: without it, no card is shown to anybody.
 */
const PREVIEWS =
  /\b(Slackbot|Twitterbot|facebookexternalhit|LinkedInBot|WhatsApp|TelegramBot|Discordbot|SkypeUriPreview|Applebot|Mastodon|Bluesky|Iframely|Embedly|redditbot|Pinterestbot|Google-PageRenderer|vkShare)\b/;

export function isLinkPreview(user_agent = ''): boolean {
  return PREVIEWS.test(user_agent);
}
