/**
 * Tools in namespaces (`type: "namespace"`), which only this dialect has. Other vendors are offered
 * each member under one flat name, and a call of it is returned with its namespace.
 */
import { type JsonObject, objectsIn, textIn } from '../../json/read-json.ts';
import type { Tool, ToolMember } from '../hub/request/request.ts';
import { sha256Hex } from '../hub/tools/tool-names.ts';

/** The flat name of a member; of a member that is not offered, too. */
export type FlatNames = (member: ToolMember) => string;

/** Unique among the tools of a request, and the same in every call of a conversation. */
export function flatNames(tools: readonly JsonObject[]): FlatNames {
  const taken = new Set(
    tools.flatMap((tool) => (isNamespace(tool) ? [] : (textIn(tool, 'name') ?? []))),
  );
  const known = new Map<string, string>();
  for (const member of tools.flatMap(membersOf)) {
    if (known.has(keyOf(member))) continue;
    const joined = joinedName(member);
    const name = taken.has(joined) ? `${joined}_${sha256Hex(keyOf(member)).slice(0, 8)}` : joined;
    taken.add(name);
    known.set(keyOf(member), name);
  }
  return (member) => known.get(keyOf(member)) ?? joinedName(member);
}

export function isNamespace(tool: JsonObject): boolean {
  return tool.type === 'namespace';
}

/** The member that a tool choice or a call names; undefined for a tool outside of namespaces. */
export function memberIn(holder: JsonObject): ToolMember | undefined {
  const namespace = textIn(holder, 'namespace');
  const name = textIn(holder, 'name');
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}

export function membersOf(tool: JsonObject): readonly ToolMember[] {
  const namespace = textIn(tool, 'name');
  if (!isNamespace(tool) || namespace === undefined) return [];
  return objectsIn(tool, 'tools').flatMap((inner) => memberIn({ ...inner, namespace }) ?? []);
}

function keyOf({ namespace, name }: ToolMember): string {
  return JSON.stringify([namespace, name]);
}

/** Without regard to other tools. Some clients end namespaces with a separator of their own. */
export function joinedName({ namespace, name }: ToolMember): string {
  return `${namespace}${namespace.endsWith('_') ? '' : '__'}${name}`;
}

/** How the client calls the tool with this unique name. */
export function calledAs(
  flatName: string,
  tools: readonly Tool[],
): { readonly name: string; readonly namespace: string | undefined } {
  const tool = tools.find((one) => 'name' in one && one.name === flatName);
  const member = tool !== undefined && 'member' in tool ? tool.member : undefined;
  return member ?? { name: flatName, namespace: undefined };
}
