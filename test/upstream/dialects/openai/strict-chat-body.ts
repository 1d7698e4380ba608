/**
 * A chat body without fields of other dialects. Compatible servers add fields, so unknown fields
 * are accepted; fields of Anthropic, Google or OpenAI's Responses API are refused as untranslated.
 */
import * as z from 'zod/mini';
import { ChatBody } from './request-fields.ts';

const FOREIGN_FIELDS = [
  'system',
  'stop_sequences',
  'output_config',
  'anthropic_version',
  'contents',
  'systemInstruction',
  'generationConfig',
  'safetySettings',
  'toolConfig',
  'input',
  'instructions',
  'max_output_tokens',
] as const;

const ROLES: ReadonlySet<string> = new Set([
  'system',
  'developer',
  'user',
  'assistant',
  'tool',
  'function',
]);

/** Includes Mistral's thinking and Qwen's videos. */
const PARTS: ReadonlySet<string> = new Set([
  'text',
  'image_url',
  'input_audio',
  'file',
  'refusal',
  'video_url',
  'thinking',
]);

function foreignField(body: ChatBody): string | undefined {
  return FOREIGN_FIELDS.find((name) => Object.hasOwn(body, name));
}

function isOwnMessage({ role, content }: ChatBody['messages'][number]): boolean {
  const parts = Array.isArray(content) ? content : [];
  return ROLES.has(role) && parts.every(({ type }) => PARTS.has(type ?? ''));
}

function isOwnTool(tool: NonNullable<ChatBody['tools']>[number]): boolean {
  return !('input_schema' in tool) && !('functionDeclarations' in tool);
}

function isOwnChoice(choice: ChatBody['tool_choice']): boolean {
  return (
    typeof choice !== 'object' || !['any', 'tool', 'auto', 'none'].includes(choice?.type ?? '')
  );
}

interface Call {
  readonly id?: unknown;
}

/** A tool result must refer to an earlier call. */
function answersCalls(messages: ChatBody['messages']): boolean {
  const made = new Set<unknown>();
  return messages.every((message) => {
    const calls: readonly Call[] = Array.isArray(message.tool_calls) ? message.tool_calls : [];
    for (const { id } of calls) made.add(id);
    return message.role !== 'tool' || made.has(message.tool_call_id);
  });
}

export const OwnChatBody = ChatBody.check(
  z.refine((body) => foreignField(body) === undefined, {
    error: ({ input }) => `Unknown parameter: ${foreignField(input as ChatBody)}`, // parsed above
  }),
  z.refine(({ messages }) => messages.every(isOwnMessage), {
    error: 'a role or a part of another dialect',
    path: ['messages'],
  }),
  z.refine(({ messages }) => answersCalls(messages), {
    error: 'a tool message must follow the call it answers',
    path: ['messages'],
  }),
  z.refine(({ tools }) => (tools ?? []).every(isOwnTool), {
    error: 'a tool of another dialect',
    path: ['tools'],
  }),
  z.refine(({ tool_choice: choice }) => isOwnChoice(choice), {
    error: 'a choice of another dialect',
    path: ['tool_choice'],
  }),
);
