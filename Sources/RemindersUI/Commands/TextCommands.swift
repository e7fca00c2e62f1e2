import RemindersCore

extension Command {
  /// What can be done in forms, besides typing.
  static let formCommands: [Command] = [
    Command(
      .save, .form, ["<c-s>"], "Save", hint: "save", help: "Save the form and leave it.",
      unless: needsWritableForm, perform: { $0.save() }),
    Command(
      .cancelForm, .form, ["<esc>", "<c-c>"], "Cancel", hint: "cancel",
      help: "Leave the form; asks first when something was changed.",
      perform: { $0.cancelForm() }),
    Command(
      .nextField, .form, ["<tab>"], "Next field", hint: "next",
      help: "Complete a tag or a path, or go to the next field.",
      perform: { $0.completeOrMoveFocus() }),
    Command(
      .previousField, .form, ["<s-tab>"], "Previous field", hint: "back",
      help: "Go to the previous field.", perform: { $0.moveFocus(by: -1) }),
    Command(
      .completeOrGoOn, .line, ["<enter>"], "Complete or go on", hint: "go on",
      help: "Complete what is typed, go to the next field, or save a list.",
      perform: { $0.completeOrGoOn() }),
    Command(
      .editInEditor, .notes, ["<c-e>"], "Notes in an editor", hint: "editor",
      help: "Edit the notes in $VISUAL or $EDITOR.",
      unless: {
        needsWritableForm($0)
          ?? ($0.reminderForm?.hasWholeNotes == false ? "The notes are being read." : nil)
      },
      perform: { $0.reminderForm.map { [.editText($0[.notes].text)] } ?? [] }),
    Command(
      .takeTheirs, .reminderForm, ["<c-r>"], "Take theirs", hint: "take theirs",
      help: "Use the other person's value of the field.",
      unless: {
        $0.reminderForm?.theirs.isEmpty == false ? nil : "Nobody else changed what you changed."
      },
      perform: { state in
        let time = state.time
        state.screens[top: ReminderForm.self]?.takeTheirs(in: time)
        return []
      }),
    Command(
      .dayLater, .dueField, ["<up>"], "A day later", hint: "day later",
      help: "Make the due date a day later.", unless: needsWritableForm,
      perform: { $0.changeDue { $0.shift(days: 1, in: $1) } }),
    Command(
      .dayEarlier, .dueField, ["<down>"], "A day earlier", hint: "day earlier",
      help: "Make the due date a day earlier.", unless: needsWritableForm,
      perform: { $0.changeDue { $0.shift(days: -1, in: $1) } }),
    Command(
      .today, .dueField, ["<c-t>"], "Today", hint: "today", help: "Make it due today.",
      unless: needsWritableForm,
      perform: { $0.changeDue { $0.set(.day($1.today), in: $1) } }),
    Command(
      .clearDue, .dueField, ["<c-x>"], "No due date", hint: "no date",
      help: "Remove the due date.", unless: needsWritableForm,
      perform: { $0.changeDue { $0.set(nil, in: $1) } }),
    Command(
      .chooseImage, .listForm, ["<c-o>"], "Choose image", hint: "choose image",
      help: "Choose an image file for the cover of the list.",
      perform: { $0.openImageBrowser() }),
    Command(
      .removeImage, .listForm, ["<c-x>"], "Remove image", hint: "remove image",
      help: "Clear the chosen file; then, remove the cover.",
      perform: { $0.removeImage() }),
    Command(
      .peopleOfForm, .listForm, ["<c-p>"], "People", hint: "people",
      help: "Show whom this list is shared with; share it.",
      unless: { state in
        needsAccount(state)
          ?? (state.listForm?.isNew == true ? "A list must be saved before it is shared." : nil)
      },
      perform: { $0.openShare(of: $0.listForm?.list) }),
  ]

  /// Why what is in the form cannot be changed.
  @Sendable private static func needsWritableForm(_ state: AppState) -> String? {
    state.reminderForm?.readOnlyReason
  }

  /// What can be done in prompts, pickers and questions.
  static let promptCommands: [Command] = [
    Command(
      .accept, .prompt, ["<enter>"], "Accept", hint: "accept",
      help: "Use what is typed or under the cursor.", perform: { $0.accept() }
    ).hinting { state in
      state.screens[top: ConfirmationScreen.self]?.answer.hint
        ?? (state.screens.last as? any Prompt)?.acceptHint ?? "choose"
    },
    Command(
      .cancel, .prompt, ["<esc>", "<c-c>"], "Cancel", hint: "cancel",
      help: "Cancel.", perform: { $0.cancelPrompt() }),
    Command(
      .toggleTag, .tagPicker, ["<space>", "<tab>"], "Switch the tag", hint: "on/off",
      help: "Add or remove the tag.", perform: { $0.toggleTag() }),
    Command(
      .ignoreDate, .quickAdd, ["<c-x>"], "Words, not a date", hint: "words, not a date",
      help: "Keep a date at the end as words of the title, or not.",
      perform: { $0.toggleDateReading() }),
    Command(
      .answerYes, .confirmation, ["y"], "Yes", hint: "yes", help: "Answer with yes.",
      perform: { $0.answerYes() }
    ).hinting { state in
      state.screens[top: ConfirmationScreen.self]?.answer.hint ?? "yes"
    },
    Command(
      .answerNo, .confirmation, ["n", "<esc>", "<c-c>"], "No", hint: "cancel",
      help: "Answer with no.", perform: { $0.closeScreen() }),
  ]
}

extension AppState {
  /// Takes what is typed or chosen in the prompt that has the keys.
  fileprivate mutating func accept() -> [Effect] {
    if screens[top: ConfirmationScreen.self] != nil { return answerYes() }
    return (screens.last as? any Prompt)?.accept(in: &self) ?? []
  }

  fileprivate mutating func cancelPrompt() -> [Effect] {
    (screens.last as? any Prompt)?.cancel(in: &self)
    return closeScreen()
  }
}
