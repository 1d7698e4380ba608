/**
 * Capabilities of Claude models by family, as of November 2026 (platform.claude.com/docs: "Extended
 * thinking", "Adaptive thinking", "Effort", model pages). The first matching row applies.
 */
import type { Effort } from '../hub/thinking/reasoning.ts';

export interface ClaudeFacts {
  readonly match: RegExp;
  /** `budget`: a number of tokens; `adaptive`: the model decides, guided by effort. */
  readonly thinking: 'none' | 'budget' | 'adaptive';
  /** How to turn thinking off; `lowest`: only the lowest effort is possible. */
  readonly off: 'disabled' | 'between_tools' | 'lowest';
  /** The model thinks by default. */
  readonly thinksUnasked?: true;
  /** `one`: temperature or top_p, not both; `none`: only the defaults. */
  readonly sampling: 'free' | 'one' | 'none';
  readonly efforts: readonly Effort[];
  /** The model rejects a forced tool choice in all cases. */
  readonly refusesForcedTools?: true;
  /** The model accepts system messages in mid-conversation. */
  readonly lateSystem?: true;
  /** The vendor can replace a long conversation by a summary. */
  readonly compacts?: true;
}

const TO_HIGH: readonly Effort[] = ['low', 'medium', 'high'];
const TO_MAX: readonly Effort[] = [...TO_HIGH, 'max'];
const ALL: readonly Effort[] = [...TO_HIGH, 'xhigh', 'max'];

const ADAPTIVE = {
  thinking: 'adaptive',
  sampling: 'none',
  efforts: ALL,
  lateSystem: true,
  compacts: true,
} as const;

const CLAUDE_MODELS: readonly ClaudeFacts[] = [
  {
    match: /claude-(instant|v?[12](-|$)|3-(opus|sonnet|haiku|5))/,
    thinking: 'none',
    off: 'disabled',
    sampling: 'free',
    efforts: [],
  },
  {
    match: /claude-(3-7|(opus|sonnet)-4(-[01])?(-\d{8}|-latest|$|@|-v\d))/,
    thinking: 'budget',
    off: 'disabled',
    sampling: 'free',
    efforts: [],
  },
  {
    match: /claude-(opus|sonnet|haiku)-4-5/,
    thinking: 'budget',
    off: 'disabled',
    sampling: 'one',
    efforts: [],
  },
  {
    match: /claude-(opus|sonnet)-4-6/,
    thinking: 'adaptive',
    off: 'disabled',
    sampling: 'one',
    efforts: TO_MAX,
    compacts: true,
  },
  { match: /claude-opus-4-7/, ...ADAPTIVE, off: 'disabled', lateSystem: undefined },
  { match: /claude-opus-4-8/, ...ADAPTIVE, off: 'disabled' },
  {
    match: /claude-sonnet-5-5/,
    ...ADAPTIVE,
    off: 'between_tools',
    thinksUnasked: true,
    refusesForcedTools: true,
  },
  { match: /claude-opus-5-5/, ...ADAPTIVE, off: 'lowest', thinksUnasked: true },
  { match: /claude-(sonnet|opus)-5/, ...ADAPTIVE, off: 'disabled', thinksUnasked: true },
  // Fable, Mythos, Haiku 5.5 and future models.
  { match: /claude-/, ...ADAPTIVE, off: 'lowest', thinksUnasked: true },
];

/** Other vendors with this dialect (DeepSeek, GLM, Kimi, MiniMax): its oldest form of thinking. */
const OTHERS: ClaudeFacts = {
  match: /^/,
  thinking: 'budget',
  off: 'disabled',
  sampling: 'free',
  efforts: [],
};

/** A model of Anthropic itself, by its name. */
export function isClaude(model: string): boolean {
  return claudeFacts(model) !== OTHERS;
}

/** Resellers use dots in versions and prefix the model name with their own. */
export function claudeFacts(model: string): ClaudeFacts {
  const name = model.toLowerCase().replaceAll('.', '-');
  return CLAUDE_MODELS.find(({ match }) => match.test(name)) ?? OTHERS;
}
