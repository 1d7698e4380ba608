/**
 * Capabilities of Gemini models by family, as of November 2026 (ai.google.dev/gemini-api/docs:
 * "Thinking", "Thought signatures", "Structured output"). The first matching row applies.
 */

export type ThinkingLevel = 'MINIMAL' | 'LOW' | 'MEDIUM' | 'HIGH';

export type GeminiThinking =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'budget';
      readonly min: number;
      readonly max: number;
      readonly canBeOff: boolean;
    }
  | { readonly kind: 'level'; readonly levels: readonly ThinkingLevel[] };

export interface GeminiFacts {
  readonly match: RegExp;
  readonly thinking: GeminiThinking;
  /** The model rejects tool calls in the history without its signature. */
  readonly signsCalls: boolean;
  /** The model accepts full JSON schemas; older ones accept a subset of OpenAPI's. */
  readonly jsonSchema: boolean;
  /** Google's tools and the client's can be combined. */
  readonly mixesTools: boolean;
  /** Tool results may contain images. */
  readonly resultMedia: boolean;
  /** The model returns images in its answers. */
  readonly outputsImages?: true;
}

const NONE = { kind: 'none' } as const;
const SECOND = { signsCalls: true, jsonSchema: true, mixesTools: false, resultMedia: false };
const THIRD = { signsCalls: true, jsonSchema: true, mixesTools: true, resultMedia: true };

function levels(...known: readonly ThinkingLevel[]): GeminiThinking {
  return { kind: 'level', levels: known };
}

const GEMINI_MODELS: readonly GeminiFacts[] = [
  { match: /gemini-[3-9].*-image/, thinking: NONE, ...THIRD, outputsImages: true },
  {
    match: /gemini-.*-image/,
    thinking: NONE,
    ...SECOND,
    signsCalls: false,
    outputsImages: true,
  },
  {
    match: /gemini-(1|2\.0|2-0|pro|flash)/,
    thinking: NONE,
    ...SECOND,
    signsCalls: false,
    jsonSchema: false,
  },
  {
    match: /gemini-2[.-]5-pro/,
    thinking: { kind: 'budget', min: 128, max: 32_768, canBeOff: false },
    ...SECOND,
  },
  {
    match: /gemini-2[.-]5-flash-lite/,
    thinking: { kind: 'budget', min: 512, max: 24_576, canBeOff: true },
    ...SECOND,
  },
  {
    match: /gemini-2[.-]5/,
    thinking: { kind: 'budget', min: 0, max: 24_576, canBeOff: true },
    ...SECOND,
  },
  { match: /gemini-3-pro/, thinking: levels('LOW', 'HIGH'), ...THIRD },
  {
    match: /gemini-3([.-][56])?-flash/,
    thinking: levels('MINIMAL', 'LOW', 'MEDIUM', 'HIGH'),
    ...THIRD,
  },
  { match: /gemini-[3-9]/, thinking: levels('LOW', 'MEDIUM', 'HIGH'), ...THIRD },
];

/** Gemma and all other models on the same API. */
const OTHERS: GeminiFacts = {
  match: /^/,
  thinking: NONE,
  signsCalls: false,
  jsonSchema: false,
  mixesTools: false,
  resultMedia: false,
};

export function geminiFacts(model: string): GeminiFacts {
  const name = model.toLowerCase();
  return GEMINI_MODELS.find(({ match }) => match.test(name)) ?? OTHERS;
}
