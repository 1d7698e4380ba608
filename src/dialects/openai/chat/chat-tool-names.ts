import type { NameRule } from '../../hub/tools/tool-names.ts';

/** developers.openai.com/api/reference: letters, digits, underscore and hyphen, at most 64. */
export const CHAT_TOOL_NAMES: NameRule = { illegal: /[^A-Za-z0-9_-]/g, maxLength: 64 };
