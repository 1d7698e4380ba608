import type { NameRule } from '../hub/tools/tool-names.ts';

/** "ToolSpecification": letters, digits, underscore and hyphen, at most 64. */
export const CONVERSE_TOOL_NAMES: NameRule = { illegal: /[^A-Za-z0-9_-]/g, maxLength: 64 };
