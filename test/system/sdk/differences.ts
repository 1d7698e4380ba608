/**
 * Differences between the gateway and the vendor as seen by SDKs, with reasons;
 * docs/compatibility.md lists them.
 */
import type { Differences } from './endpoints.ts';

const SIGNED =
  'Google signs its calls. The gateway sends the signature in a thinking block without text, so that ' +
  'the client returns it with the next turn.';

const UNSAID =
  'OpenAI has no setting for thinking without a limit: only a level or a budget is forwarded.';

const SHORTEST = 'The Responses API accepts no limit below 16 tokens: a smaller limit becomes 16.';

const SUMMED_UP =
  'The Responses API returns thoughts as a summary, which not every account may use: a level of effort ' +
  'alone does not request one.';

const LIMITED = { 'an answer that reaches its limit': { responses: SHORTEST } } as const;

export const OPENAI_DIFFERENCES: Differences = {
  ...LIMITED,
  thoughts: { responses: SUMMED_UP },
  'thoughts in a stream': { responses: SUMMED_UP },
};

export const ANTHROPIC_DIFFERENCES: Differences = {
  'parallel calls': { gemini: SIGNED },
  'parallel calls in a stream': { gemini: SIGNED },
  'a tool that is demanded': { gemini: SIGNED },
  ...LIMITED,
};

export const GOOGLE_DIFFERENCES: Differences = {
  'thoughts without a level': { chat: UNSAID, responses: UNSAID },
  ...LIMITED,
};

export const VERCEL_DIFFERENCES: Readonly<Record<string, Differences>> = {
  Anthropic: {
    'parallel calls in a stream': { gemini: SIGNED },
    'calls that are run and answered': { gemini: SIGNED },
    ...LIMITED,
  },
  OpenAI: OPENAI_DIFFERENCES,
  Google: LIMITED,
};
