import type { NameRule } from '../hub/tools/tool-names.ts';

/** ai.google.dev/api/caching#FunctionDeclaration; the maximum length that all versions accept. */
export const GEMINI_TOOL_NAMES: NameRule = {
  illegal: /[^A-Za-z0-9_.:-]/g,
  firstIsLetter: true,
  maxLength: 64,
};
