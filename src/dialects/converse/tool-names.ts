import type { NameRule } from '../hub/tool-names.ts';

/** "ToolSpecification": letters, digits, underscore and dash, 64 of them. */
export const CONVERSE_TOOL_NAMES: NameRule = { illegal: /[^A-Za-z0-9_-]/g, maxLength: 64 };
