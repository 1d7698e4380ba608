/** A dialect-neutral request. The model's defaults apply to fields the client did not set. */
import { wrongField } from '../../../domain/errors/field-errors.ts';
import type { JsonObject } from '../../../json/read-json.ts';
import type { Block, TextBlock } from '../blocks.ts';
import type { Extras, Origin, Vendor } from '../extras.ts';
import type { Reasoning } from '../thinking/reasoning.ts';

export interface HubMessage {
  /** `system` only after the first other message; leading system messages are in `system`. */
  readonly role: 'user' | 'assistant' | 'system';
  readonly blocks: readonly Block[];
  /** OpenAI's name of the participant. */
  readonly name?: string;
  readonly extras?: Extras;
}

/** How the client calls a tool of a namespace. */
export interface ToolMember {
  readonly namespace: string;
  readonly name: string;
}

export interface FunctionTool {
  readonly kind: 'function';
  readonly name: string;
  /** For a tool of a namespace, whose `name` is unique among all tools. */
  readonly member?: ToolMember;
  readonly description?: string;
  /** JSON schema of the arguments; absent for a tool without parameters. */
  readonly schema?: JsonObject;
  readonly strict?: boolean;
  readonly cache?: JsonObject;
  readonly extras?: Extras;
}

/** A tool with free-text input. Other dialects get a function with one argument, `input`. */
export interface CustomTool {
  readonly kind: 'custom';
  readonly name: string;
  readonly member?: ToolMember;
  readonly description?: string;
  readonly format?: JsonObject;
}

/** Web search run by the vendor. */
export interface WebSearchTool {
  readonly kind: 'web_search';
  readonly origin: Origin;
  readonly value: JsonObject;
  readonly maxUses?: number;
}

export interface ForeignTool {
  readonly kind: 'foreign';
  readonly origin: Origin;
  readonly value: JsonObject;
}

export type Tool = FunctionTool | CustomTool | WebSearchTool | ForeignTool;

export type ToolChoice =
  | { readonly mode: 'auto' | 'none' | 'required' }
  | { readonly mode: 'tool'; readonly name: string }
  | { readonly mode: 'allowed'; readonly names: readonly string[]; readonly required: boolean };

export interface Sampling {
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly seed?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly logprobs?: boolean;
  readonly topLogprobs?: number;
}

export type ResponseFormat =
  | { readonly kind: 'json' }
  | {
      readonly kind: 'schema';
      readonly name?: string;
      readonly description?: string;
      readonly schema: JsonObject;
      readonly strict?: boolean;
    };

export interface HubRequest {
  readonly model: string;
  readonly stream: boolean;
  readonly system: readonly TextBlock[];
  readonly messages: readonly HubMessage[];
  readonly tools: readonly Tool[];
  readonly toolChoice?: ToolChoice;
  /** Whether the model may call several tools at once; absent: its default. */
  readonly parallelTools?: boolean;
  readonly maxTokens?: number;
  readonly sampling: Sampling;
  readonly stop: readonly string[];
  readonly reasoning?: Reasoning;
  readonly format?: ResponseFormat;
  /** Length of the answer: OpenAI's low, medium, high. */
  readonly verbosity?: string;
  /** Requested kinds of output in lower case: text, image, audio. */
  readonly modalities?: readonly string[];
  /** The end user's id, for the vendor's abuse detection. */
  readonly user?: string;
  /** The client's session, whose calls begin with the same prompt. */
  readonly session?: string;
  /** The vendor is to replace the conversation by a summary once it has this many tokens. */
  readonly compaction?: { readonly atTokens: number | undefined };
  /** Number of answers requested. */
  readonly count?: number;
  readonly extras?: Extras;
}

/** Schema of a tool without parameters. */
export const NO_PARAMETERS: JsonObject = { type: 'object', properties: {} };

/** Converts a custom tool to a function, for dialects without free-text tools. */
export function customAsFunction(tool: CustomTool): FunctionTool {
  const grammar = tool.format === undefined ? undefined : JSON.stringify(tool.format);
  const hint = grammar === undefined ? undefined : `The input has this format: ${grammar}`;
  const description = [tool.description, hint].filter((text) => text !== undefined).join('\n\n');
  const properties = { input: { type: 'string' } };
  return {
    kind: 'function',
    name: tool.name,
    ...(description === '' ? {} : { description }),
    schema: { type: 'object', properties, required: ['input'] },
  };
}

/** The tools that are called by name; custom tools become functions. */
export function functionsOf(tools: readonly Tool[]): readonly FunctionTool[] {
  return tools.flatMap((tool) => {
    if (tool.kind === 'function') return [tool];
    return tool.kind === 'custom' ? [customAsFunction(tool)] : [];
  });
}

/** Keeps only the allowed tools, for dialects without an `allowed` tool choice. */
export function withAllowedToolsOnly(request: HubRequest): HubRequest {
  const { toolChoice } = request;
  if (toolChoice?.mode !== 'allowed') return request;
  const names = new Set(toolChoice.names);
  const isAllowed = (tool: Tool) =>
    (tool.kind !== 'function' && tool.kind !== 'custom') || names.has(tool.name);
  return {
    ...request,
    tools: request.tools.filter(isAllowed),
    toolChoice: { mode: toolChoice.required ? 'required' : 'auto' },
  };
}

/** Removes the vendor's thinking blocks, because another account of the vendor cannot read them. */
export function withoutVendorThinking(request: HubRequest, vendor: Vendor): HubRequest {
  const isTheirs = (block: Block) =>
    (block.kind === 'thinking' && block.signature?.origin === vendor) ||
    (block.kind === 'redacted_thinking' && block.origin === vendor);
  const messages = request.messages.map((message) => ({
    ...message,
    blocks: message.blocks.filter((block) => !isTheirs(block)),
  }));
  return { ...request, messages };
}

/** For dialects with one answer per request. @throws AppError field_wrong */
export function rejectMultipleAnswers({ count }: HubRequest): void {
  if (count === undefined || count <= 1) return;
  throw wrongField('n', 'one_answer');
}
