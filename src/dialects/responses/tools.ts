/** Reads and writes tools of the Responses dialect, which are flat where chat nests them. */
import { type JsonObject, objectIn, objectsIn, textIn } from '../../json/read-json.ts';
import { extrasFor, unknownFields } from '../hub/extras.ts';
import {
  type CustomTool,
  type FunctionTool,
  type HubRequest,
  NO_PARAMETERS,
  type Tool,
  type WebSearchTool,
} from '../hub/request/request.ts';
import { vendorToolName } from '../hub/tools/tool-names.ts';
import { type FlatNames, isNamespace } from './namespaces.ts';
import { RESPONSES_TOOL_NAMES } from './tool-names.ts';

/** `maxUses`: the most calls of the vendor's tools in one answer. */
export function readTools(
  tools: readonly JsonObject[],
  names: FlatNames,
  maxUses: number | undefined,
): readonly Tool[] {
  return tools.flatMap((tool) => {
    if (!isNamespace(tool)) return [withMaxUses(readTool(tool), maxUses)];
    const namespace = textIn(tool, 'name') ?? '';
    return objectsIn(tool, 'tools').map((inner) => readMember(inner, namespace, names));
  });
}

function withMaxUses(tool: Tool, maxUses: number | undefined): Tool {
  return tool.kind === 'web_search' && maxUses !== undefined ? { ...tool, maxUses } : tool;
}

function readMember(inner: JsonObject, namespace: string, names: FlatNames): Tool {
  const tool = readTool(inner);
  if (tool.kind !== 'function' && tool.kind !== 'custom') return tool;
  const member = { namespace, name: tool.name };
  return { ...tool, name: names(member), member };
}

const KNOWN_FUNCTION = new Set(['type', 'name', 'description', 'parameters', 'strict']);

function readTool(tool: JsonObject): Tool {
  const type = textIn(tool, 'type') ?? '';
  const name = textIn(tool, 'name');
  const description = textIn(tool, 'description');
  if (type === 'function' && name !== undefined)
    return {
      kind: 'function',
      name,
      description,
      schema: objectIn(tool, 'parameters'),
      ...(typeof tool.strict === 'boolean' ? { strict: tool.strict } : {}),
      ...unknownFields('responses', tool, KNOWN_FUNCTION),
    };
  if (type === 'custom' && name !== undefined)
    return { kind: 'custom', name, description, format: nestedFormat(objectIn(tool, 'format')) };
  if (type.startsWith('web_search'))
    return { kind: 'web_search', origin: 'responses', value: tool };
  return { kind: 'foreign', origin: 'responses', value: tool };
}

/** Chat nests the grammar in an object; the hub keeps that form. */
function nestedFormat(format: JsonObject | undefined): JsonObject | undefined {
  if (format?.type !== 'grammar' || format.grammar !== undefined) return format;
  const { type, ...grammar } = format;
  return { type, grammar };
}

export function writeTools({ tools }: HubRequest): readonly JsonObject[] {
  return tools.flatMap(writeTool);
}

/** The field is for all of the vendor's tools, so it is set if each that is written has a limit. */
export function mostToolCalls({ tools }: HubRequest): number | undefined {
  const own = tools.filter(({ kind }) => kind !== 'function' && kind !== 'custom');
  const uses = own
    .filter((tool) => writeTool(tool).length > 0)
    .map((tool) => (tool.kind === 'web_search' ? tool.maxUses : undefined));
  if (uses.length === 0) return undefined;
  return uses.reduce<number | undefined>(
    (most, each) => (most === undefined || each === undefined ? undefined : Math.max(most, each)),
    0,
  );
}

function writeTool(tool: Tool): readonly JsonObject[] {
  switch (tool.kind) {
    case 'function':
      return [writeFunction(tool)];
    case 'custom':
      return [writeCustom(tool)];
    case 'web_search':
      return [writeSearch(tool)];
    case 'foreign':
      return tool.origin === 'responses' ? [tool.value] : [];
    default:
      return tool satisfies never;
  }
}

/** `strict` defaults to true, but schemas of other dialects do not meet its requirements. */
function writeFunction(tool: FunctionTool): JsonObject {
  const { description, schema = NO_PARAMETERS, strict = false } = tool;
  return {
    ...extrasFor('responses', tool),
    type: 'function',
    name: vendorToolName(tool.name, RESPONSES_TOOL_NAMES),
    ...(description === undefined ? {} : { description }),
    parameters: schema,
    strict,
  };
}

function writeCustom({ name, description, format }: CustomTool): JsonObject {
  const grammar = objectIn(format, 'grammar');
  const flat = grammar === undefined ? format : { type: 'grammar', ...grammar };
  return {
    type: 'custom',
    name: vendorToolName(name, RESPONSES_TOOL_NAMES),
    ...(description === undefined ? {} : { description }),
    ...(flat === undefined ? {} : { format: flat }),
  };
}

/** Both of chat's options have an equivalent here; other vendors' options have none. */
function writeSearch({ origin, value }: WebSearchTool): JsonObject {
  if (origin === 'responses') return value;
  const size = origin === 'openai' ? textIn(value, 'search_context_size') : undefined;
  const given = origin === 'openai' ? objectIn(value, 'user_location') : undefined;
  const location = given && { type: 'approximate', ...objectIn(given, 'approximate') };
  return {
    type: 'web_search',
    ...(size === undefined ? {} : { search_context_size: size }),
    ...(location === undefined ? {} : { user_location: location }),
  };
}
