/** One call in each dialect of the model API, and the body of its refusal with 503. */
import type { SiteCall } from '../../support/site.ts';
import { CHAT } from '../../upstream/wire.ts';

export type RefusedCall = readonly [name: string, call: SiteCall, pattern: RegExp];

/** `code`: in OpenAI's form; the others have their own status word. */
export function refusedCalls(code: string): readonly RefusedCall[] {
  return [
    ['OpenAI', { body: CHAT }, new RegExp(`"code":"${code}"`)],
    [
      'Anthropic',
      { path: '/v1/messages', body: { ...CHAT, max_tokens: 9 } },
      /"type":"overloaded_error"/,
    ],
    [
      'Gemini',
      {
        path: '/v1beta/models/gpt-4o-mini:generateContent',
        body: { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
      },
      /"status":"UNAVAILABLE"/,
    ],
  ];
}
