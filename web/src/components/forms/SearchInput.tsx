import { TextInput, type TextInputProps } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';

interface SearchInputProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  /** Inside the input while it is empty. */
  readonly label: string;
  readonly value: string;
  readonly onChange: (typed: string) => void;
}

/** Narrows the list below it while the user types. */
export function SearchInput({ label, onChange, ...input }: SearchInputProps) {
  return (
    <TextInput
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch size={16} />}
      onChange={(event) => onChange(event.currentTarget.value)}
      {...input}
    />
  );
}
