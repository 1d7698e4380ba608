/** 0 (empty) to 4: length counts most, then the number of character classes. */
export function passwordStrength(password: string): 0 | 1 | 2 | 3 | 4 {
  if (password === '') return 0;
  if (password.length < 8) return 1;
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^\w\s]|\s/].filter((kind) => kind.test(password)).length;
  const different = new Set(password).size;
  if (different < 5) return 1;
  if (password.length >= 16 || (password.length >= 12 && kinds >= 3)) return 4;
  return kinds >= 3 || password.length >= 12 ? 3 : 2;
}
