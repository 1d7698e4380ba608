/** Repeats a request without earlier thinking that its upstream refused. */
import type { Feature } from '../feature.ts';

export const refusedThinking: Feature = {
  route: {
    appliesTo: ({ pair }) => pair?.upstream.thinkingRefusal !== undefined,
    otherRequest(call, { upstream }) {
      const refusal = call.plan.pair?.upstream.thinkingRefusal;
      if (!refusal?.isThis(upstream) || call.dropsThinkingOf !== undefined) return undefined;
      return { ...call, dropsThinkingOf: refusal.vendor };
    },
  },
};
