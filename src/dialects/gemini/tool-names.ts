import type { NameRule } from '../hub/tool-names.ts';

/** ai.google.dev/api/caching#FunctionDeclaration; the length is the one that all versions take. */
export const GEMINI_TOOL_NAMES: NameRule = {
  illegal: /[^A-Za-z0-9_.:-]/g,
  firstIsLetter: true,
  maxLength: 64,
};
