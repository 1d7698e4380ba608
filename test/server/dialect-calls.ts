/** One call of each dialect that the model API speaks, and what its refusal with 503 says. */
import type { SiteCall } from '../site.ts';
import { CHAT } from '../upstream/wire.ts';

export type RefusedCall = readonly [name: string, call: SiteCall, says: RegExp];

/** `code`: of OpenAI's form; the others have a status word of their own. */
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
