/**
 * What models take through Converse, by family, as of November 2026 (docs.aws.amazon.com/bedrock,
 * "Supported models and model features", "Prompt caching", model pages). The first row that fits counts.
 */
import type { JsonObject } from '../../json/read-json.ts';
import type { Effort } from '../hub/reasoning.ts';

export interface ConverseFacts {
  readonly match: RegExp;
  /** Cache points are taken; elsewhere they are refused. */
  readonly cachePoints?: true;
  /** A tool can be forced. */
  readonly forcesTools?: true;
  /** Results of tools may say that the tool failed. */
  readonly resultStatus?: true;
  /** How it is told to think: a field of its own beside the common ones. */
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
  // Reached this way by an ARN that hides the model's name.
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

/** The three levels that all of them know. */
function commonLevel(level: Effort): 'low' | 'medium' | 'high' {
  if (level === 'minimal' || level === 'low') return 'low';
  return level === 'medium' ? 'medium' : 'high';
}
