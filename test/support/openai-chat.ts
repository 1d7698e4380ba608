/** A chat and a function in the types of the OpenAI SDK. */
export const chat = {
  model: 'gpt-4o-mini',
  messages: [{ role: 'user' as const, content: 'Tell me about 世界 and 🌍, please.' }],
};

export const clock = {
  type: 'function' as const,
  function: {
    name: 'get_time',
    parameters: { type: 'object', properties: { zone: { type: 'string', minLength: 9 } } },
  },
};
