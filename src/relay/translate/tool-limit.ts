/** Lowers the number of uses of the vendor's tools in a call. */
import { clientDialect } from '../../dialects/all.ts';
import type { Tool } from '../../dialects/hub/request/request.ts';
import type { Admitted } from '../call/call-stages.ts';

/**
 * The same call as if its client had allowed this many uses, where the upstream keeps to it;
 * undefined if the client's dialect has no such limit.
 */
export function withToolUses<T extends Admitted>(call: T, uses: number): T | undefined {
  const { intent, incoming } = call;
  const { withToolUses: limited } = clientDialect(incoming);
  if (limited === undefined) return undefined;
  const { request } = intent;
  return {
    ...call,
    cappedUses: uses,
    intent: {
      ...intent,
      body: limited(intent.body, uses),
      ...(request === undefined
        ? {}
        : { request: { ...request, tools: request.tools.map((tool) => limitedTool(tool, uses)) } }),
    },
  };
}

function limitedTool(tool: Tool, uses: number): Tool {
  if (tool.kind !== 'web_search') return tool;
  return { ...tool, maxUses: Math.min(uses, tool.maxUses ?? uses) };
}
