/** The templates inserted into JSON fields by "Insert template". */
const json = (value: object) => JSON.stringify(value, null, 2);

export const MAPPING_TEMPLATE = json({ 'gpt-4o': 'gpt-4o-2024-11-20' });
export const STATUS_TEMPLATE = json({ '400': 500, '403': 503 });
export const OVERRIDE_TEMPLATE = json({ temperature: 0 });
export const SETTING_TEMPLATE = json({
  proxy: '',
  force_format: false,
  thinking_to_content: false,
  pass_through_body: false,
  chat_only: false,
});
export const COST_TEMPLATE = json({
  factor: 0.8,
  rates: { 'gpt-4o': { input: 2, output: 8 } },
});
export const REGION_TEMPLATE = json({ default: 'us-central1', 'claude-sonnet-5-5': 'us-east5' });
