//! The program as its users meet it: started as a process, judged by its output, exit code and
//! files.

mod cleaning;
mod compare;
mod conditions;
mod disclosure;
mod door;
mod drafts;
mod golden;
mod infer;
mod leading;
mod ledger;
mod malformed;
mod oracle;
mod regress;
mod reproduce;
mod run;
mod secrecy;
mod secrets;
mod simulate;
mod smaller;
mod suppress;
mod tour;
mod tutorial;
mod unread;
