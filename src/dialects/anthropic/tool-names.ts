import type { NameRule } from '../hub/tools/tool-names.ts';

/** platform.claude.com/docs, "Tool use": letters, digits, underscore and hyphen. */
export const ANTHROPIC_TOOL_NAMES: NameRule = { illegal: /[^A-Za-z0-9_-]/g, maxLength: 128 };
