import { Autocomplete, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { BudgetSubject } from '../../../../src/domain/budgets/budget.ts';
import { useGroupNames } from '../../lib/api/group-names.ts';
import { channelKeys, tokenKeys, userKeys } from '../../lib/api/query-keys.ts';
import { useUser } from '../../lib/session/session.ts';
import { fieldOf } from '../forms/field-of.ts';
import { SearchSelect } from '../forms/SearchSelect.tsx';
import type { BudgetForm } from './BudgetFields.tsx';
import { findChannels, findTokens, findUsers, servedModelsQuery } from './subject-search.ts';

interface SubjectFieldsProps {
  readonly form: BudgetForm;
  readonly kinds: readonly BudgetSubject[];
}

/** What a new budget is about, for administrators: its kind, and which one. */
export function SubjectFields({ form, kinds }: SubjectFieldsProps) {
  const { t } = useTranslation();
  const { subject } = form.getValues();
  const Input = INPUTS[subject];
  return (
    <>
      {kinds.length > 1 && (
        <Select
          label={t('part.budget.subject')}
          data={kinds.map((kind) => ({ value: kind, label: t(`part.budget.subject.${kind}`) }))}
          value={subject}
          onChange={(kind) => {
            form.setValues({
              subject: kinds.find((one) => one === kind) ?? subject,
              subject_id: '',
            });
            form.clearFieldError('subject_id');
          }}
        />
      )}
      {Input !== undefined && (
        <Input
          key={subject}
          label={t(`part.budget.subject.${subject}`)}
          {...fieldOf(form, 'subject_id')}
        />
      )}
    </>
  );
}

interface InputProps {
  readonly label: string;
  readonly value: string;
  readonly error: ReactNode;
  readonly onChange: (id: string) => void;
}

/** The site has no name. */
const INPUTS: Readonly<Record<BudgetSubject, ((props: InputProps) => ReactNode) | undefined>> = {
  token: TokenInput,
  user: (props) => <SearchSelect {...props} keys={userKeys} find={findUsers} />,
  group: GroupInput,
  channel: (props) => <SearchSelect {...props} keys={channelKeys} find={findChannels} />,
  model: ModelInput,
  site: undefined,
};

/** By its owner, who is the reader at first. */
function TokenInput(props: InputProps) {
  const { t } = useTranslation();
  const own = String(useUser()?.id ?? '');
  const [owner, setOwner] = useState('');
  const user = owner === '' ? own : owner;
  const changeOwner = (id: string) => {
    setOwner(id);
    props.onChange('');
  };
  return (
    <>
      <SearchSelect
        label={t('part.budget.owner')}
        placeholder={t('part.budget.ownTokens')}
        value={owner}
        onChange={changeOwner}
        keys={userKeys}
        find={findUsers}
      />
      <SearchSelect
        key={user}
        {...props}
        keys={tokenKeys}
        within={user}
        find={(typed, signal) => findTokens(Number(user), typed, signal)}
      />
    </>
  );
}

function GroupInput({ value, onChange, ...props }: InputProps) {
  const names = useGroupNames();
  return (
    <Select
      allowDeselect
      {...props}
      searchable
      data={[...names]}
      value={value === '' ? null : value}
      onChange={(name) => onChange(name ?? '')}
    />
  );
}

/** Any name: a model may be served later. */
function ModelInput(props: InputProps) {
  const { data: models = [] } = useQuery(servedModelsQuery);
  return (
    <Autocomplete {...props} data={[...models]} limit={50} selectFirstOptionOnChange={false} />
  );
}
