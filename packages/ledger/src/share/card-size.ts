/** In pixels, what chats and social networks expect of an Open Graph picture. */
export const CARD = { width: 1200, height: 630 } as const;
