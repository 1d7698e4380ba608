/** The model API endpoints that clients may call, and whether this release serves them. */
export const CLIENT_ENDPOINTS = {
  chat: { path: '/v1/chat/completions', isServed: true },
  responses: { path: '/v1/responses', isServed: true },
  messages: { path: '/v1/messages', isServed: true },
  gemini: { path: '/v1beta/models/{model}:generateContent', isServed: true },
} as const;

export type ClientEndpoint = keyof typeof CLIENT_ENDPOINTS;

export function isServed(endpoint: ClientEndpoint): boolean {
  return CLIENT_ENDPOINTS[endpoint].isServed;
}
