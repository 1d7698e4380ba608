import {
  Autocomplete,
  NumberInput,
  PasswordInput,
  Select,
  Stack,
  Switch,
  TagsInput,
  Textarea,
  TextInput,
} from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { isRangeWord } from '../../../../../src/domain/logs/time-ranges.ts';
import { domainNames } from '../../../../../src/domain/options/checks.ts';
import { type OptionKey, optionRowOf } from '../../../../../src/domain/options/registry.ts';
import type { OptionRow } from '../../../../../src/domain/options/row.ts';
import { optionSummary } from '../../../../../src/domain/options/summary.ts';
import { Dimmed } from '../../../components/display/Dimmed.tsx';
import { JsonEditor } from '../../../components/forms/JsonEditor.tsx';
import { toast } from '../../../components/layout/toasts.tsx';
import classes from '../Settings.module.css';
import { useSettings } from '../sections/settings-store.ts';
import type { FormKey } from '../sections/tabs.ts';
import { OptionLabel } from './OptionLabel.tsx';
import { turnOffPassword, turnOnDemo } from './risky-switches.ts';
import { SecretTools } from './SecretTools.tsx';
import { UnlockField } from './UnlockField.tsx';

export interface OptionFieldProps {
  readonly option: FormKey;
}

/** The input of one option, based on its row in the registry. */
export function OptionField({ option }: OptionFieldProps) {
  return (
    <div id={`option-${option}`} className={classes.field}>
      {option === 'QuotaPerUnit' ? (
        <UnlockField>{(isLocked) => <Kind option={option} isLocked={isLocked} />}</UnlockField>
      ) : (
        <Kind option={option} isLocked={false} />
      )}
    </div>
  );
}

/** The props of every kind of field. */
export interface FieldProps<R extends OptionRow = OptionRow> {
  readonly option: FormKey;
  readonly row: R;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly common: {
    readonly label: ReactNode;
    readonly description: ReactNode;
    readonly error: string | undefined;
    readonly disabled: boolean;
  };
}

function Kind({ option, isLocked }: OptionFieldProps & { readonly isLocked: boolean }) {
  const { i18n } = useTranslation();
  const { text, change, errors } = useSettings();
  const row = optionRowOf(option);
  const common = {
    label: <OptionLabel option={option} />,
    description: optionSummary(option, i18n.language),
    error: errors[option],
    disabled: isLocked,
  };
  const props = { option, value: text(option), onChange: (next: string) => change(option, next) };
  switch (row.type) {
    case 'bool':
      return <SwitchField {...props} row={row} common={common} />;
    case 'int':
    case 'number':
      return <NumberField {...props} row={row} common={common} />;
    case 'choice':
      return <ChoiceField {...props} row={row} common={common} />;
    case 'lines':
      return <LinesField {...props} row={row} common={common} />;
    case 'list':
      return <ListField {...props} row={row} common={common} />;
    case 'json':
      return <JsonField {...props} row={row} common={common} />;
    case 'text':
      return row.secret ? (
        <SecretField {...props} row={row} common={common} />
      ) : (
        <TextField {...props} row={row} common={common} />
      );
  }
}

type Of<K extends OptionRow['type']> = FieldProps<Extract<OptionRow, { type: K }>>;

function SwitchField({ option, row, value, onChange, common }: Of<'bool'>) {
  const { t } = useTranslation();
  const { text, setSecrets } = useSettings();
  const needed = row.needs as OptionKey | undefined; // a registry key, checked by its tests
  const isMissing = needed !== undefined && text(needed) === '' && !setSecrets.has(needed);
  const refusal =
    isMissing && value !== 'true' && needed !== undefined
      ? t('setting.needs', { name: t(`setting.name.${needed as FormKey}`) })
      : undefined;
  const press = async (isOn: boolean) => {
    if (option === 'PasswordLoginEnabled' && !isOn && !(await turnOffPassword(t))) return;
    if (option === 'DemoSiteEnabled' && isOn && !(await turnOnDemo(t))) return;
    onChange(String(isOn));
  };
  return (
    <Switch
      {...common}
      description={refusal ?? common.description}
      disabled={refusal !== undefined}
      checked={value === 'true'}
      onChange={(event) => void press(event.currentTarget.checked)}
    />
  );
}

function NumberField({ row, value, onChange, common }: Of<'int' | 'number'>) {
  return (
    <NumberInput
      {...common}
      value={value}
      onChange={(next) => onChange(String(next))}
      allowDecimal={row.type === 'number'}
      clampBehavior="none"
      className={classes.short}
    />
  );
}

function ChoiceField({ row, value, onChange, common }: Of<'choice'>) {
  const { t, i18n } = useTranslation();
  const nameOf = (choice: string) => {
    if (isRangeWord(choice)) return t(`part.range.${choice}`);
    const key = `setting.choice.${choice}`;
    return i18n.exists(key) ? t(key as `setting.choice.${'day' | 'hour'}`) : choice; // it exists
  };
  return (
    <Select
      {...common}
      data={row.choices.map((choice) => ({ value: choice, label: nameOf(choice) }))}
      value={value}
      onChange={(next) => next !== null && onChange(next)}
      className={classes.short}
    />
  );
}

function LinesField({ value, onChange, common }: Of<'lines' | 'list'>) {
  const { t } = useTranslation();
  const count = new Set(value.split(/\r?\n/).filter((line) => line.trim() !== '')).size;
  return (
    <Stack gap={4}>
      <Textarea
        {...common}
        minRows={4}
        maxRows={14}
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <Dimmed>{t('setting.lines', { count })}</Dimmed>
    </Stack>
  );
}

/** A list of domains, each validated when added. */
function ListField({ value, onChange, common }: Of<'lines' | 'list'>) {
  const { t } = useTranslation();
  const items = value.split(',').filter((item) => item !== '');
  const add = (next: string[]) => {
    const typed = next.map((item) => item.trim().toLowerCase());
    if (domainNames(typed)) return toast.error(t('setting.domain.wrong'));
    onChange(typed.join(','));
  };
  return (
    <TagsInput
      {...common}
      value={items}
      onChange={add}
      splitChars={[',', ' ', '\n']}
      onDuplicate={() => toast.error(t('setting.domain.twice'))}
      isDuplicate={(item, now) => now.includes(item.trim().toLowerCase())}
    />
  );
}

const FLAT = [
  'model_prices',
  'model_ratios',
  'group_ratios',
  'group_counts',
  'group_labels',
  'model_counts',
  'api_versions',
  'safety_settings',
];

function JsonField({ option, row, value, onChange, common }: Of<'json'>) {
  const { t, i18n } = useTranslation();
  return (
    <JsonEditor
      label={t(`setting.name.${option}`)}
      description={<OptionLabel option={option} text={optionSummary(option, i18n.language)} />}
      error={common.error}
      value={value}
      onChange={onChange}
      hasTable={FLAT.includes(row.shape)}
      template={row.fallback}
      rows={7}
    />
  );
}

function SecretField({ option, value, onChange, common }: Of<'text'>) {
  const { t } = useTranslation();
  const { setSecrets } = useSettings();
  const isSet = setSecrets.has(option);
  return (
    <div className={classes.stack}>
      <PasswordInput
        {...common}
        placeholder={t(isSet ? 'common.secretKept' : 'setting.secret.isUnset')}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      {isSet && <SecretTools option={option} />}
    </div>
  );
}

const CODE: readonly FormKey[] = ['custom_head_html', 'global_css', 'global_js'];

function TextField({ option, row, value, onChange, common }: Of<'text'>) {
  if (row.suggestions !== undefined)
    return (
      <Autocomplete {...common} data={[...row.suggestions]} value={value} onChange={onChange} />
    );
  const props = {
    ...common,
    value,
    onChange: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value),
  };
  if (row.form !== undefined) return <TextInput {...props} />;
  const isCode = CODE.includes(option);
  return (
    <Textarea
      {...props}
      minRows={isCode ? 6 : 4}
      maxRows={20}
      spellCheck={!isCode}
      classNames={isCode ? { input: classes.code ?? '' } : {}}
    />
  );
}
