/**
 * Capabilities of models in Converse by family, as of November 2026 (docs.aws.amazon.com/bedrock,
 * "Supported models and model features", "Prompt caching", model pages). The first matching row
 * applies.
 */
import type { JsonObject } from '../../json/read-json.ts';
import type { Effort } from '../hub/thinking/reasoning.ts';

export interface ConverseFacts {
  readonly match: RegExp;
  /** The model accepts cache points; others reject them. */
  readonly cachePoints?: true;
  /** The model accepts a forced tool choice. */
  readonly forcesTools?: true;
  /** Tool results may report that the tool failed. */
  readonly resultStatus?: true;
  /** The model's own fields that set its reasoning. */
  readonly reasoning?: (level: Effort) => JsonObject;
}

const NOVA = { cachePoints: true, forcesTools: true, resultStatus: true } as const;

const MODELS: readonly ConverseFacts[] = [
  {
    match: /nova-2/,
    ...NOVA,
    reasoning: (level) => ({
      reasoningConfig: { type: 'enabled', maxReasoningEffort: commonLevel(level) },
    }),
  },
  { match: /nova/, ...NOVA },
  // Used through Converse if an ARN hides the model's name.
  { match: /claude|application-inference-profile/, ...NOVA },
  {
    match: /gpt-oss/,
    reasoning: (level) => ({ reasoning_effort: commonLevel(level) }),
  },
  { match: /mistral|pixtral|magistral/, forcesTools: true },
];

const OTHERS: ConverseFacts = { match: /^/ };

export function converseFacts(model: string): ConverseFacts {
  return MODELS.find(({ match }) => match.test(model)) ?? OTHERS;
}

/** The three levels that all of these models support. */
function commonLevel(level: Effort): 'low' | 'medium' | 'high' {
  if (level === 'minimal' || level === 'low') return 'low';
  return level === 'medium' ? 'medium' : 'high';
}
