/** Which parts of a converted chat history each upstream accepts, by provider. */

import type { ChatTarget } from '../../dialects/hub/dialect.ts';
import { modelRuleOf } from '../../providers/requests/model-rules.ts';
import type { ProviderRow } from '../../providers/rows/provider-row.ts';

const TARGETS: Readonly<Record<string, ChatTarget>> = {
  azure: { strict: true },
  openrouter: { cacheMarks: true, takesEffort: true },
};

const OPENAI_HOST = /^https:\/\/api\.openai\.com(\/|$)/;

/** `baseUrl`: the channel's server; servers other than OpenAI's own are less strict. */
export function chatTarget(
  { slug, history = {} }: Pick<ProviderRow, 'slug' | 'history'>,
  baseUrl: string,
  model: string,
): ChatTarget {
  const isOpenAi = slug === 'openai' && OPENAI_HOST.test(baseUrl);
  const rule = modelRuleOf(slug, model);
  const takesEffort = rule?.effortSuffix === true || rule?.reasoning !== undefined;
  const { systemFirst, needsReasoning } = history;
  return {
    takesEffort,
    ...(isOpenAi ? { strict: true } : {}),
    ...(systemFirst ? { systemFirst } : {}),
    ...(needsReasoning ? { needsReasoning } : {}),
    ...TARGETS[slug],
  };
}
