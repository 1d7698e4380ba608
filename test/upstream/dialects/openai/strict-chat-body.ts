/**
 * A chat body without fields of other dialects. Compatible servers add fields, so unknown fields
 * are accepted; fields of Anthropic, Google or OpenAI's Responses API are refused as untranslated.
 */
import * as z from 'zod/mini';
import { rule } from '../schema-parts.ts';
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

/** A tool result must refer to an earlier call. */
function answersCalls(messages: ChatBody['messages']): boolean {
  const made = new Set<unknown>();
  return messages.every((message) => {
    const calls: readonly { id?: unknown }[] = Array.isArray(message.tool_calls)
      ? message.tool_calls
      : [];
    for (const { id } of calls) made.add(id);
    return message.role !== 'tool' || made.has(message.tool_call_id);
  });
}

export const OwnChatBody = ChatBody.check(
  z.refine((body) => foreignField(body) === undefined, {
    error: ({ input }) => `Unknown parameter: ${foreignField(input as ChatBody)}`, // parsed above
  }),
  rule(
    ({ messages }) => messages.every(isOwnMessage),
    'a role or a part of another dialect',
    'messages',
  ),
  rule(
    ({ messages }) => answersCalls(messages),
    'a tool message must follow the call it answers',
    'messages',
  ),
  rule(({ tools }) => (tools ?? []).every(isOwnTool), 'a tool of another dialect', 'tools'),
  rule(
    ({ tool_choice: choice }) => isOwnChoice(choice),
    'a choice of another dialect',
    'tool_choice',
  ),
);
