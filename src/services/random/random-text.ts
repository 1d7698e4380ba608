/** Random alphanumeric text. */
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Bytes above this would bias the result towards the start of the alphabet. */
const FAIR = 256 - (256 % ALPHABET.length);

/** `length` characters of 0-9a-zA-Z, each equally likely if the bytes are. */
export function randomText(random: (size: number) => Buffer, length: number): string {
  let text = '';
  while (text.length < length)
    for (const byte of random(length - text.length))
      if (byte < FAIR) text += ALPHABET[byte % ALPHABET.length];
  return text;
}
