/** Fields with the same meaning in both of OpenAI's dialects. */
export const SHARED_FIELDS = [
  'metadata',
  'service_tier',
  'prompt_cache_key',
  'prompt_cache_retention',
  'prompt_cache_options',
] as const;
