/**
 * Ratio of output price to input price for models without a saved ratio in an installation of the
 * one-api family. The first matching rule applies; `isFixed` rules override even a saved ratio
 * (new-api, Veloera).
 */
import type { SourceFamily } from './family.ts';

export interface CompletionRule {
  readonly name: RegExp;
  readonly ratio: number;
  readonly isFixed?: true;
}

const fixed = (name: RegExp, ratio: number): CompletionRule => ({ name, ratio, isFixed: true });
const usual = (name: RegExp, ratio: number): CompletionRule => ({ name, ratio });

const LLAMA: readonly CompletionRule[] = [
  fixed(/^llama2-70b-4096$/, 80 / 64),
  fixed(/^llama3-8b-8192$/, 2),
  fixed(/^llama3-70b-8192$/, 79 / 59),
];

const GPT_35: readonly CompletionRule[] = [
  fixed(/^gpt-3\.5-turbo$|^gpt-3\.5.*0125$/, 3),
  fixed(/^gpt-3\.5.*1106$/, 2),
  fixed(/^gpt-3\.5/, 4 / 3),
];

/** Rules shared by new-api and Veloera. */
const LATER: readonly CompletionRule[] = [
  fixed(/^o[13]/, 4),
  fixed(/^chatgpt-4o-latest$/, 3),
  fixed(/claude-3|claude-(sonnet|opus)-4/, 5),
  fixed(/claude-instant-1|claude-2/, 3),
  fixed(/^mistral-/, 3),
  fixed(/^command-r$/, 3),
  fixed(/^command-r-plus$/, 5),
  fixed(/^command-r(-plus)?-08-2024$/, 4),
  usual(/^command/, 4),
  fixed(/^ERNIE-(Speed-|Lite-|Character|Functions)/, 2),
  ...LLAMA,
];

export const COMPLETION_RULES: Readonly<Record<SourceFamily, readonly CompletionRule[]>> = {
  'one-api': [
    usual(/^whisper-1$/, 0),
    usual(/^deepseek-chat$/, 2),
    usual(/^deepseek-reasoner$/, 219 / 55),
    ...GPT_35,
    usual(/^gpt-4o-2024-05-13$/, 3),
    usual(/^gpt-4o/, 4),
    usual(/^gpt-4-turbo|^gpt-4.*preview$/, 3),
    usual(/^gpt-4/, 2),
    usual(/^o1/, 4),
    usual(/^chatgpt-4o-latest$|^grok-beta$|^command-r$/, 3),
    usual(/^claude-3|^command-r-plus$/, 5),
    usual(/^(claude|mistral|gemini)-/, 3),
    usual(/^deepseek-|^command(-light)?(-nightly)?$/, 2),
    ...LLAMA,
    usual(/^ibm-granite\/granite-3\.0-2b-instruct$/, 25 / 3),
    usual(/^ibm-granite\/granite-/, 5),
    usual(/^meta\/(meta-)?llama-[23]-(7|8|13)b/, 5),
    usual(/^meta\/(meta-)?llama-[23]-70b/, 275 / 65),
    usual(/^mistralai\/mistral-7b-(instruct-v0\.2|v0\.1)$/, 5),
    usual(/^mistralai\/mixtral-8x7b-instruct-v0\.1$/, 10 / 3),
  ],
  'new-api': [
    usual(/^gpt-4o-gizmo-\*$/, 3),
    usual(/^gpt-image-1$/, 8),
    usual(/-all$|-gizmo-\*$/, 2),
    fixed(/^gpt-4o-2024-05-13$/, 3),
    usual(/^gpt-4o-mini-tts/, 20),
    usual(/^gpt-4o/, 4),
    fixed(/^gpt-5/, 8),
    fixed(/^gpt-4\.5-preview/, 2),
    fixed(/^gpt-4-turbo|^gpt-4-110[56]$/, 3),
    usual(/^gpt-/, 2),
    fixed(/claude-haiku-4/, 5),
    fixed(/^gemini-(1\.5|2\.0)/, 4),
    usual(/^gemini-2\.5-pro/, 8),
    usual(/^gemini-2\.5-flash-(preview.*-nothinking$|lite)/, 4),
    usual(/^gemini-2\.5-flash-preview/, 350 / 15),
    usual(/^gemini-2\.5-flash|^gemini-robotics-er-1\.5/, 25 / 3),
    usual(/^gemini-3-pro-image/, 60),
    usual(/^gemini-3-pro/, 6),
    usual(/^gemini-/, 4),
    ...LATER,
  ],
  veloera: [
    usual(/^gpt-4o-gizmo-\*$/, 3),
    usual(/^gpt-image-1$/, 8),
    usual(/^gpt-4-gizmo-\*$|^gpt-4-all$/, 2),
    usual(/-all$/, 1),
    fixed(/^gpt-4o-2024-05-13$/, 3),
    fixed(/^gpt-4o/, 4),
    fixed(/^gpt-4\.5-preview/, 2),
    fixed(/^gpt-4-turbo|^gpt-4-110[56]$/, 3),
    usual(/^gpt-4/, 2),
    ...GPT_35,
    fixed(/^gemini-1\.[05]-pro/, 4),
    fixed(/^gemini-2\.5-pro-preview/, 8),
    usual(/^gemini-2\.5-flash-preview.*-nothinking$/, 4),
    usual(/^gemini-2\.5-flash-preview/, 35 / 6),
    usual(/^gemini/, 4),
    fixed(/^deepseek-(chat|reasoner)$/i, 4),
    ...LATER,
  ],
};
