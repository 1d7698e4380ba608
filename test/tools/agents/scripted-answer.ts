/** An answer of the scripted upstream, before it takes the form of a dialect. */

export interface ToolUse {
  readonly name: string;
  readonly input: object;
}

export interface ScriptedAnswer {
  readonly text: string;
  readonly uses: readonly ToolUse[];
  readonly usage: ScriptedUsage;
}

/** Counts as a vendor reports them; `cached` and `written` are parts of `input`. */
export interface ScriptedUsage {
  readonly input: number;
  readonly cached: number;
  readonly written: number;
  readonly output: number;
}
