/** What a browser says it was asked: read before anything is believed. */

/** The challenge that client data names; '' where it names none. */
export function clientChallenge(client_data_json: string): string {
  try {
    const { challenge } = JSON.parse(Buffer.from(client_data_json, 'base64url').toString()) as { challenge?: unknown };
    return typeof challenge === 'string' && /^[A-Za-z0-9_-]{1,200}$/.test(challenge) ? challenge : '';
  } catch {
    return '';
  }
}
