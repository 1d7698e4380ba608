/** Repeats a request without earlier thinking that its upstream refused. */
import type { Feature } from '../feature.ts';

export const refusedThinking: Feature = {
  route: {
    appliesTo: ({ pair }) => pair?.upstream.thinkingRefusal !== undefined,
    otherRequest(call, { upstream }) {
      const { route } = call;
      const refusal = route.plan.pair?.upstream.thinkingRefusal;
      if (!refusal?.isThis(upstream) || route.dropsThinkingOf !== undefined) return undefined;
      return { ...call, route: { ...route, dropsThinkingOf: refusal.vendor } };
    },
  },
};
