/**
 * What Claude models take, by family, as of November 2026 (platform.claude.com/docs: "Extended
 * thinking", "Adaptive thinking", "Effort", model pages). The first row that fits counts.
 */
import type { Effort } from '../hub/reasoning.ts';

export interface ClaudeFacts {
  readonly match: RegExp;
  /** `budget`: a number of tokens; `adaptive`: the model decides, steered by effort. */
  readonly thinking: 'none' | 'budget' | 'adaptive';
  /** How thinking is switched off; `lowest`: it cannot be. */
  readonly off: 'disabled' | 'between_tools' | 'lowest';
  /** It thinks unless told not to. */
  readonly thinksUnasked?: true;
  /** `one`: temperature or top_p, never both; `none`: only the defaults. */
  readonly sampling: 'free' | 'one' | 'none';
  readonly efforts: readonly Effort[];
  /** A tool cannot be forced on it at all. */
  readonly refusesForcedTools?: true;
  /** It takes system messages in mid-conversation. */
  readonly lateSystem?: true;
}

const TO_HIGH: readonly Effort[] = ['low', 'medium', 'high'];
const TO_MAX: readonly Effort[] = [...TO_HIGH, 'max'];
const ALL: readonly Effort[] = [...TO_HIGH, 'xhigh', 'max'];

const ADAPTIVE = {
  thinking: 'adaptive',
  sampling: 'none',
  efforts: ALL,
  lateSystem: true,
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
  },
  { match: /claude-opus-4-[78]/, ...ADAPTIVE, off: 'disabled' },
  {
    match: /claude-sonnet-5-5/,
    ...ADAPTIVE,
    off: 'between_tools',
    thinksUnasked: true,
    refusesForcedTools: true,
  },
  { match: /claude-opus-5-5/, ...ADAPTIVE, off: 'lowest', thinksUnasked: true },
  { match: /claude-(sonnet|opus)-5/, ...ADAPTIVE, off: 'disabled', thinksUnasked: true },
  // Fable, Mythos, Haiku 5.5 and whatever comes next.
  { match: /claude-/, ...ADAPTIVE, off: 'lowest', thinksUnasked: true },
];

/** Other vendors behind the same dialect (DeepSeek, GLM, Kimi, MiniMax): its oldest form of thinking. */
const OTHERS: ClaudeFacts = {
  match: /^/,
  thinking: 'budget',
  off: 'disabled',
  sampling: 'free',
  efforts: [],
};

/** Resellers write versions with dots and put their own name before the model's. */
export function claudeFacts(model: string): ClaudeFacts {
  const name = model.toLowerCase().replaceAll('.', '-');
  return CLAUDE_MODELS.find(({ match }) => match.test(name)) ?? OTHERS;
}
