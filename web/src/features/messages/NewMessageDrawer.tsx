import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { FormDrawer } from '../../components/forms/FormDrawer.tsx';
import { fieldErrors } from '../../components/forms/field-errors.ts';
import { toast } from '../../components/layout/toasts.tsx';
import { useFilledForm } from '../../hooks/useFilledForm.ts';
import { messageKeys } from '../../lib/api/query-keys.ts';
import { messages } from './calls.ts';
import { BLANK_MESSAGE, type MessageValues, messageInput, messageProblems } from './form.ts';
import { MessageEditor } from './MessageEditor.tsx';
import classes from './Messages.module.css';
import { RecipientPicker } from './RecipientPicker.tsx';

interface NewMessageDrawerProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Two panes: content and recipients. */
export function NewMessageDrawer({ isOpen, onClose }: NewMessageDrawerProps) {
  const { t } = useTranslation();
  const form = useForm<MessageValues>({
    initialValues: BLANK_MESSAGE,
    validate: (values) =>
      fieldErrors(messageProblems(values), (problem) => t(`message.error.${problem}`)),
  });
  useFilledForm(form, isOpen ? 'new' : undefined, () => BLANK_MESSAGE);
  return (
    <FormDrawer
      isOpen={isOpen}
      onClose={onClose}
      title={t('message.create')}
      form={form}
      onSubmit={(values: MessageValues) => messages.create(messageInput(values))}
      touches={[messageKeys]}
      done={({ stats }) => t('message.sent', { count: stats.total_recipients })}
      submitLabel={t('common.send')}
      width={1080}
      onInvalid={(fields) => {
        if (fields.includes('audience')) toast.error(t('message.error.audience'));
      }}
    >
      <div className={classes.panes}>
        <MessageEditor form={form} />
        <RecipientPicker
          audience={form.getValues().audience}
          onChange={(audience) => form.setFieldValue('audience', audience)}
          error={form.errors.audience}
        />
      </div>
    </FormDrawer>
  );
}
