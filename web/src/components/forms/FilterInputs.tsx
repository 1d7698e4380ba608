import { type OptionsFilter, Select, type SelectProps } from '@mantine/core';

interface ChoiceInputProps<V extends string | number> {
  readonly label: string;
  readonly placeholder: string;
  /** By default as wide as its container. */
  readonly w?: SelectProps['w'];
  readonly values: readonly V[];
  readonly text: (value: V) => string;
  readonly value: V | undefined;
  readonly onChange: (value: V | undefined) => void;
  readonly searchable?: boolean;
  /** The values that the typed text means; by default those whose text contains it. */
  readonly find?: (typed: string) => ReadonlySet<V>;
  /** In the popover of further filters, which a list in a portal would close. */
  readonly isInPopover?: boolean;
}

/** One of a few values, or none. */
export function ChoiceInput<V extends string | number>(props: ChoiceInputProps<V>) {
  const { label, placeholder, w, values, text, find, value, onChange } = props;
  return (
    <Select
      allowDeselect
      w={w}
      label={label}
      placeholder={placeholder}
      clearable
      searchable={props.searchable ?? false}
      {...(find !== undefined && { filter: filterBy(values, find) })}
      // A popover focuses its first input, whose list would cover the others.
      openOnFocus={false}
      comboboxProps={{ withinPortal: props.isInPopover !== true }}
      data={values.map((each) => ({ value: String(each), label: text(each) }))}
      value={value === undefined ? null : String(value)}
      onChange={(chosen) => onChange(values.find((each) => String(each) === chosen))}
    />
  );
}

function filterBy<V extends string | number>(
  values: readonly V[],
  find: (typed: string) => ReadonlySet<V>,
): OptionsFilter {
  return ({ options, search }) => {
    const found = find(search);
    const names = new Set(values.filter((each) => found.has(each)).map(String));
    return options.filter((option) => 'value' in option && names.has(option.value));
  };
}
