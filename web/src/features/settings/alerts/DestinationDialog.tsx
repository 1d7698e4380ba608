import { Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { DESTINATION_KINDS } from '../../../../../src/domain/notification-kinds.ts';
import { FormDialog } from '../../../components/forms/FormDialog.tsx';
import { fieldErrors } from '../../../components/forms/field-errors.ts';
import { NotificationAddress } from '../../../components/notifications/NotificationAddress.tsx';
import { optionKeys } from '../../../lib/api/query-keys.ts';
import { LANGUAGES } from '../../../lib/text/texts.ts';
import { destinations } from '../calls.ts';
import {
  type Destination,
  type DestinationValues,
  destinationInput,
  destinationProblems,
  destinationValues,
  SITE_LANGUAGE,
} from './destination-form.ts';

interface DialogProps {
  /** Undefined for a new one. */
  readonly destination: Destination | undefined;
  readonly onClose: () => void;
}

export function DestinationDialog({ destination, onClose }: DialogProps) {
  const { t } = useTranslation();
  const form = useForm<DestinationValues>({
    initialValues: destinationValues(destination),
    validate: (values) => fieldErrors(destinationProblems(values), (problem) => t(problem)),
  });
  const { kind } = form.getValues();
  const title = destination
    ? t('setting.alert.editTitle', { name: destination.name })
    : t('setting.alert.add');
  return (
    <FormDialog
      onClose={onClose}
      size={520}
      title={title}
      form={form}
      onSubmit={(values: DestinationValues) =>
        destinations.save(destinationInput(values, destination?.name))
      }
      touches={[optionKeys]}
      done={() => t('setting.alert.saved')}
      verb={t('action.save')}
    >
      <TextInput {...form.getInputProps('name')} label={t('common.name')} data-autofocus />
      <Select
        {...form.getInputProps('kind')}
        label={t('common.type')}
        data={DESTINATION_KINDS.map((value) => ({
          value,
          label: t(`part.notice.kind.${value}`),
        }))}
      />
      {kind === 'email' ? (
        <TextInput {...form.getInputProps('email')} type="email" label={t('setting.alert.email')} />
      ) : (
        <NotificationAddress form={form} kind={kind} hasSecret={destination?.has_secret === true} />
      )}
      <Select
        {...form.getInputProps('language')}
        label={t('setting.alert.language')}
        data={[
          { value: SITE_LANGUAGE, label: t('setting.alert.siteLanguage') },
          ...Object.entries(LANGUAGES).map(([value, { name }]) => ({ value, label: name })),
        ]}
      />
    </FormDialog>
  );
}
