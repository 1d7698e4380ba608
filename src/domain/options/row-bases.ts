/** What many rows of options have in common. A row adds its own fields, or replaces these. */

export const SWITCH = { type: 'bool', fallback: 'false', role: 10 } as const;
export const COUNT = { type: 'int', fallback: '0', role: 10, min: 0 } as const;
export const CHOICE = { type: 'choice', role: 10 } as const;
export const JSON_VALUE = { type: 'json', fallback: '{}', role: 10 } as const;
/** A number, without which a rule does not apply. */
export const BLANK_NUMBER = {
  type: 'number',
  fallback: '',
  role: 10,
  min: 0,
  blank: true,
} as const;
export const TEXT = { type: 'text', fallback: '', role: 10 } as const;
export const LINE = { ...TEXT, form: 'line' } as const;
export const ADDRESS = { ...TEXT, form: 'address', role: 100 } as const;
export const SECRET = { ...LINE, role: 100, secret: true } as const;
