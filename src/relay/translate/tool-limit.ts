/** Lowers the number of uses of the vendor's tools in a call. */
import { clientDialect } from '../../dialects/all.ts';
import type { Tool } from '../../dialects/hub/request/request.ts';
import type { Admitted } from '../call/admitted.ts';

/**
 * The same call as if its client had allowed this many uses, where the upstream keeps to it;
 * undefined if the client's dialect has no such limit, or the call cannot do without a use.
 */
export function withToolUses<T extends Admitted>(call: T, uses: number): T | undefined {
  const { intent, incoming } = call;
  const body = clientDialect(incoming).withToolUses?.(intent.body, uses);
  if (body === undefined) return undefined;
  const { request } = intent;
  return {
    ...call,
    cappedUses: uses,
    intent: {
      ...intent,
      body,
      ...(request === undefined
        ? {}
        : {
            request: {
              ...request,
              tools: request.tools.flatMap((tool) => limitedTool(tool, uses)),
            },
          }),
    },
  };
}

function limitedTool(tool: Tool, uses: number): Tool | readonly Tool[] {
  if (tool.kind !== 'web_search') return tool;
  if (uses === 0) return [];
  return { ...tool, maxUses: Math.min(uses, tool.maxUses ?? uses) };
}
